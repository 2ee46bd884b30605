"""The web app: server-rendered pages and a REST API over the same workflows as the command line.

Only this package imports FastAPI. `server.create_app` builds the app, `proctor serve` runs it.
"""
