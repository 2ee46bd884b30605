"""The web app: server-rendered pages and a REST API over the same workflows as the command line.

FastAPI is imported only in here. `app.create_app` builds it, `proctor serve` runs it.
"""
