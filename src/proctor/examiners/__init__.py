"""Examiners, which ask the questions in a battle: prober, chat models, agents; and the guard that checks them."""
