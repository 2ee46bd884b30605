"""Plain inflections: what is a form of the same word, and what only looks like one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.reading.text.inflection import forms, phrase_pattern

SAME = """
vacation vacations, error errors, policy policies, city cities, day days, key keys, box boxes, tax taxes, bus buses,
class classes, address addresses, church churches, stomach stomachs, dish dishes, quiz quizzes, photo photos,
hero heroes, zero zeros, idea ideas, taxi taxis, virus viruses, lens lenses, status statuses, movie movies, tie ties,
shoe shoes, employee employees, fee fees, api apis, pdf pdfs, url urls, person persons, building buildings,
setting settings, evening evenings, month months, statistic statistics, topic topics, café cafés,
refund refunds, refund refunded, refund refunding, refunded refunding, refunds refunded, plan planned, plan planning,
plan plans, stop stopped, ship shipping, drop dropped, run running, win winning, begin beginning, refer referred,
occur occurring, travel travelled, travel traveled, cancel cancelled, cancel canceling, visit visited, open opening,
limit limited, edit editing, format formatted, control controlling, equip equipped, quit quitting, bus bused,
care caring, care cared, use using, use used, used using, age aging, age ageing, queue queuing, queue queueing,
make making, close closed, closes closing, approve approved, approved approves, apply applied, apply applies,
apply applying, deny denied, try tried, play played, play plays, pay paying, die dying, lie lying, underlie underlying,
agree agreed, agree agreeing, see seeing, free freed, guarantee guaranteed, dye dyeing, panic panicked,
traffic trafficking, fix fixing, show showing, box boxed, pass passed, pass passing, passes passed, process processed,
miss missing, call called, sell selling, focus focused, unite united, sever severed, suit suited, star starred,
rate rating, plane planes, hope hoping, hop hopping, tape taping, tap tapping, company's company, company's companies,
users' user, test testing, warn warning, meet meeting, mean means, expire expired, ski skiing, own owned,
like liked
"""
APART = """
new news, pass password, under underlying, thing the, ring r, thing thin, car care, car caring, car cared, plan plane,
plan planed, plan planing, hop hope, hop hoping, tap taping, rat rate, rat rating, star stare, star staring,
scar scared, bar bared, win wine, win wined, not note, not noted, hat hate, hat hated, mat mate, fin fine, pin pine,
bit bite, bit biting, rid riding, fee feed, see seed, see seen, wee weed, bee being, she shed, her herring,
even evening, out outing, off offing, past pasted, may mays, can canned, will willing, her hers, our ours,
it its, thu thus, http https, ftp ftps, economic economics, physic physics, politic politics, good goods, odd odds,
short shorts,
mar mars, canva canvas, adam adams, robert roberts, william williams, rug rugged, rag ragged, dog dogged, wick wicked,
crook crooked, mope moped, wed wedding, bed bedding, sib sibling, ceil ceiling, accord according, unit united,
severe severed, suite suited, cloth clothing, breath breathing, envelope enveloped, use user, use useful, use usage,
user use, test tester, quick quickly, new newer, fast fastest, inform information, act action, part party,
part parties, arm army, form former, form format, port report, legal illegal, valid invalid, able disable,
prince princess, princes princess, bras brass, mas mass, desert dessert, later latter, cal called, tel telling,
mil milling, pic picked, loc locked, doc docked, teas teased, pleas pleased, los losing, one ones, two twos,
ten tens, set settings, hand handle, sing single, number numbed, bill billion, log logic, rest restaurant,
add address, pet petition, for form, and ands, the them, mouse mice, run ran, go going, us use, id ids
"""


def pairs(table: str) -> list[tuple[str, str]]:
    """`one other, …` → pairs."""
    return [(pair.split()[0], pair.split()[1]) for pair in table.replace("\n", " ").split(",")]


@pytest.mark.parametrize(("one", "other"), pairs(SAME))
def test_these_are_forms_of_the_same_word(one: str, other: str) -> None:
    assert other in forms(one)
    if "'" not in one:
        assert one in forms(other)


@pytest.mark.parametrize(("one", "other"), pairs(APART))
def test_these_are_words_of_their_own(one: str, other: str) -> None:
    assert other not in forms(one)
    assert one not in forms(other)


@pytest.mark.parametrize("word", ["4711", "a1", "e-mail", "b2b", "x", "ok", "", "日本"])
def test_numbers_codes_and_short_words_have_one_form(word: str) -> None:
    assert forms(word) == (word,)


@given(st.text("abceghinorsty", min_size=3, max_size=8))
def test_a_word_is_a_form_of_its_forms(word: str) -> None:
    assert forms(word)[0] == word
    assert all(word in forms(form) for form in forms(word))


@pytest.mark.parametrize(
    ("phrase", "text", "stands"),
    [
        ("remote work", "remote working", True),
        ("remote work", "remotely work", False),
        ("error message", "errors messages", True),
        ("error message", "erroring message", False),
        ("log in", "logged\nin", True),
        ("sign up", "signing up", True),
        ("attorney general", "attorneys general", True),
        ("fish oil", "fishing oil", False),
    ],
)
def test_in_a_phrase_the_last_word_may_have_any_form_and_the_others_their_number(
    phrase: str, text: str, stands: bool
) -> None:
    pattern = phrase_pattern(phrase)
    assert pattern is not None
    assert bool(re.fullmatch(pattern, text)) is stands


def test_a_phrase_that_has_no_other_form_has_no_pattern() -> None:
    assert phrase_pattern("as an ai") is None
    assert phrase_pattern("24/7") is None
