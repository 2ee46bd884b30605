"""What an import reads is cleaned of secrets, by what they look like and by what they are called."""

from __future__ import annotations

from proctor.formats.imports.contract import ImportLog


def test_values_that_are_named_as_secrets_are_masked_and_counted_and_other_data_is_left() -> None:
    log = ImportLog()
    given = {
        "metadata": {"api_key": "hunter2xyz9", "password": "Tr0ub4dor3", "headers": {"X-Key": "abcdef123456"}},
        "url": "postgres://bob:s3cretpw@db/x",
        "answer_key": "B2-17x",
        "items": [{"key": "fr-0001", "token": "Paris"}],
    }

    assert log.without_secrets(given) == {
        "metadata": {"api_key": "[secret]", "password": "[secret]", "headers": {"X-Key": "[secret]"}},
        "url": "postgres://bob:[secret]@db/x",
        "answer_key": "B2-17x",
        "items": [{"key": "fr-0001", "token": "Paris"}],
    }
    assert log.masked == 4
