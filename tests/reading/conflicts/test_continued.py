"""What a later reply says of the first question although another one was asked."""

from __future__ import annotations

import pytest

from proctor.reading.conflicts.conflict import Exchange, conflict

_CONFLICTS = """
Is the pool open? | Yes, it is. | Great, I'll bring my kids. | Sorry, the pool is closed.
Do I need a ticket? | No, entry is free. | Where is the entrance? | On the left. You need a ticket to get in.
Is there a lift? | Yes, there is one. | My father can't climb stairs. | I'm afraid there is no lift in the building.
Are dogs allowed on the beach? | Yes. | I'll bring my labrador. | Dogs are not allowed on the beach.
Is the warranty valid abroad? | Yes, it is. | I'm moving abroad next month. | The warranty isn't valid abroad.
Does the price include breakfast? | Yes. | What time is it served? | Breakfast is not included in the price.
Is the room quiet? | Yes, it's very quiet. | I'm a light sleeper. | Then take another hotel, the room is noisy.
Is the paint safe? | Yes, it is safe. | My son is four, may he use it? | Keep him away, it's toxic.
Is the road open in January? | No, it is closed till March. | How do I get there in January? | The road is open.
Is the castle open in winter? | No, only from May to September. | Can I visit in January? | Yes, it's open then.
Is the market on every day? | No, only on Saturdays. | Can I come on a Tuesday? | Yes, the market is on then.
Do I need a visa? | No visa is needed for up to 90 days. | I'd stay six weeks. | Then you must apply for a visa.
Did the audit find errors? | It found no errors. | Can you sum it up? | The audit found several errors.
What did the scan show? | It showed no fracture. | What now? | The fracture has to be set in plaster.
Does the train run in winter? | There is no train from December to March. | And in January? | Take the 9.15 train.
Who may use the gym? | Only guests may use it. | I'm not a guest. | Anyone can use the gym.
Who can swim there? | The pool is reserved for members. | I'm no member. | No problem, it's open to the public.
When does the library close? | It closes at 8 pm. | Can I come at half past seven? | No, we close at 7 pm.
When does the shop open? | At 9 am. | I'll be there at quarter past. | You'd be early, the shop opens at 10 am.
Which day is the rubbish collected? | On Tuesdays. | Sorry, which day was the rubbish again? | On Fridays.
When is the weekly market? | On Saturdays. | What day is the market, did you say? | On Wednesdays.
How long is the trail? | 10 km. | Can you give me that in miles? | It's about 10 miles.
How heavy is it? | 5 kg. | What is that in pounds? | About 5 pounds.
What is the population of Elm? | Elm has 4,000 inhabitants. | Is it bigger than Oak, which has 9,000? | Yes, it is.
How tall is the tower? | 60 metres. | Is it taller than the church, which has 80 metres? | Yes.
How deep is the lake? | 12 metres. | Is it shallower than the pond, which has 3 metres? | Yes.
"""
_NO_CONFLICTS = """
Is the pool open? | Yes, it is. | Where can I have dinner? | The restaurant is closed on Mondays.
Is the pool open? | Yes. | And in winter? | It is closed in winter.
Is the café open on Sundays? | Yes. | And the museum? | It's closed.
Is the museum open on Mondays? | No. | When can I come then? | The museum is open from Tuesday to Sunday.
Does the plan include roaming? | Yes, within Europe. | I'm going to Japan. | Roaming in Japan is not included.
Is the trail safe? | Yes, it's an easy walk. | I want to go in a thunderstorm. | That would be dangerous.
Do I need a ticket? | No, entry is free. | What about the special exhibition? | For that one you need a ticket.
Does the hotel have parking? | No. | Where can I leave my car? | There is a car park round the corner.
Was the film a success? | Yes, it made 300 million. | Did the critics like it? | Critics did not like the film.
Is the flat furnished? | Yes, fully. | Is there a washing machine? | There is no washing machine in the flat.
Is the lake deep? | Yes, up to 40 m. | Can I stand near the shore? | Near the shore it is shallow.
Do I have to pay customs? | No, not below 150 euros. | It is worth 300 euros. | Then you have to pay customs.
Is the battery removable? | Yes. | What about the older model? | The battery of the older model is not removable.
Is the train late? | No. | My friend's train is late. | Some trains are late today, but this one is on time.
Is my order shipped? | Yes, yesterday. | And the second one? | The second order has not been shipped yet.
Are dogs allowed? | Yes. | Reviews say you turned one away. | One guest wrote that 'no dogs are allowed at all'.
Do I need a visa? | No visa is needed for up to 90 days. | And for six months? | Then you need a long-stay visa.
Can I return it? | Yes, as long as it is unworn. | I wore it. | Then you can't return it.
Can I cancel for free? | Yes, up to 24 hours before. | It's three hours to go. | Then cancelling is no longer free.
Does the train run in winter? | There is no train from December to March. | And in June? | Take the 9.15 train.
Is there a fee? | No fee at all. | And for groups? | Groups pay a fee of 20 euros.
Who may use the gym? | Only guests. | And the pool? | The pool is open to everyone.
When does the shop open? | At 9 am. | When does it close? | It closes at 6 pm.
When does the library close? | At 8 pm. | And on Sundays? | It closes at 5 pm then.
When does it close? | At 8 pm. | Can I come at half past seven? | Yes, the doors shut at eight.
Which day is bin day? | Tuesday. | And for paper? | Paper is collected on Fridays.
Which day is the bin collected? | On Tuesdays. | When do I put it out? | On Monday night, they come on Tuesday.
How long is the trail? | 10 km. | Can you give me that in miles? | It's about 6 miles.
What is the population of Elm? | Elm has 4,000 inhabitants. | Is it bigger than Oak, which has 900? | Yes, it is.
How tall is the tower? | 60 metres. | Is it shorter than the church, which has 80 metres? | Yes.
"""


def _rows(table: str) -> list[list[str]]:
    return [[part.strip() for part in line.split("|")] for line in table.strip().splitlines()]


@pytest.mark.parametrize(("first", "answer", "second", "reply"), _rows(_CONFLICTS))
def test_the_first_answer_is_held_against_what_is_said_of_it_later(
    first: str, answer: str, second: str, reply: str
) -> None:
    found = conflict(Exchange(first, answer), Exchange(second, reply))
    assert found is not None
    assert found.quotes[0] in answer
    assert found.quotes[1] in reply


@pytest.mark.parametrize(("first", "answer", "second", "reply"), _rows(_NO_CONFLICTS))
def test_another_thing_time_amount_or_case_is_no_contradiction(
    first: str, answer: str, second: str, reply: str
) -> None:
    assert conflict(Exchange(first, answer), Exchange(second, reply)) is None
