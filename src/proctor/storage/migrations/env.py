"""Entry point of Alembic: run the revisions on the connection opened by schema.py."""

from alembic import context

from proctor.storage.tables import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
with context.begin_transaction():
    context.run_migrations()
