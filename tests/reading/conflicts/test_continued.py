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
Does the cafe have wifi? | Yes, it's free. | What's the password? | We don't have wifi.
Is the lecture recorded? | Yes. | I'll be ill, so I'd watch it at home. | The lecture is not recorded, sorry.
What's the deadline? | 31 March. | And the deadline was when again? | 30 April.
What time is checkout? | Checkout is at 11 am. | So I can sleep until ten? | Better not, checkout is at 9 am.
Is the bridge toll free? | Yes, it's free. | How do I pay? | The bridge toll is 5 euros, by card.
Are the eggs free-range? | Yes, all of them. | Why are they so cheap? | Because they aren't free-range.
Was the suspect convicted? | No, he was acquitted. | How long did he get? | He was convicted and got three years.
How many rooms does the flat have? | Four. | So each of our three kids gets a room? | The flat has two rooms, so no.
Where is the office? | In Ghent. | How do I get to the office? | Take the train to Bruges, the office is in Bruges.
Who directed the film? | Lena Voss. | What else did Voss do? | She is a singer. Voss never directed the film.
How long is the warranty? | Two years. | In months? | 36 months.
Is Tom in the office today? | No, he's at home. | Could I drop by? | Sure, Tom is in the office today.
Which floor is the canteen on? | The third floor. | Sorry, which floor was it again? | The fifth floor.
Which bus goes to the zoo? | Line 14. | Where does the 14 go? | To the port. It does not go to the zoo.
Are any of the huts heated? | None of the huts is heated. | What about Elm Hut? | Elm Hut is heated.
Was the poet ever married? | She never married. | What was her husband called? | Her husband was Edvin Saar.
Is Dr Hale in on Mondays? | Yes, on Mondays. | Could I see her on Monday the 4th? | Dr Hale never works on Mondays.
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
How long does delivery take? | Three to five working days. | I live on an island. | Then please allow two extra days.
How much is a day ticket? | 9 euros. | And for two people? | A group ticket for two is 14 euros.
Does the gym have a sauna? | Yes, on the second floor. | Is it mixed? | No, it's separate for men and women.
What's the deadline? | 31 March. | Can I still send it on 2 April? | No, that would be too late.
Is the cake vegan? | Yes, it's made without eggs and milk. | And the muffins? | They contain butter.
What time is checkout? | 11 am. | My flight is at six in the evening. | You can leave your bags with us until five.
Who is the contact for invoices? | Ms Ortega. | And for deliveries? | Mr Blum handles deliveries.
Do you ship to Norway? | Yes, for 12 euros. | And Iceland? | We don't ship to Iceland, I'm sorry.
Is the bridge toll free? | Yes. | For lorries too? | Lorries pay 12 euros.
How old is the oak? | About 400 years. | And the lime tree next to it? | That one is 150 years old.
Is the museum accessible by wheelchair? | Yes, all floors are. | And the tower? | The tower has no lift.
Does the course have an exam? | Yes, a written one. | How long does it last? | The exam lasts 90 minutes.
Are the eggs free-range? | Yes. | Where do they come from? | From a farm that is not far from here.
Is Tom in the office? | No, he's at home today. | When will he be back? | He'll be in the office tomorrow.
Is the restaurant open tonight? | No, it's closed on Mondays. | And tomorrow? | Yes, it's open from noon.
Did the team win? | Yes, 3-1. | And the week before? | They lost 0-2.
What is the melting point of the alloy? | 183 degrees. | Will it be liquid at 200? | Yes.
How many people can the hall hold? | 300. | We are 120, is that too many? | No, that's fine.
Is it going to rain tomorrow? | Yes, all day. | And the day after? | It will be dry.
Does the app run on Android? | Yes. | I have Android 7. | Android 7 is not supported any more.
Was the suspect convicted? | No, he was acquitted. | And his brother? | His brother was convicted of fraud.
Do the trains run on Christmas Day? | No. | And on Boxing Day? | On Boxing Day there's a Sunday service.
Is the garden open to visitors? | Yes, every day. | May I pick flowers? | No, picking flowers is not allowed.
Is it a direct flight? | Yes. | How about the return? | The return flight is not direct, you change in Oslo.
When was the company founded? | In 1987. | When did it go public? | It went public in 1999.
Who directed the film? | Lena Voss. | Who wrote the script? | The script was written by Karl Imhof.
Does it come in red? | Yes. | In size 46? | Size 46 is only available in black.
Is there a pharmacy nearby? | Yes, on Hill Road. | Is it open now? | No, it closed at six.
Can I park here overnight? | Yes, it's free. | I've a caravan. | Caravans are not allowed overnight.
Are the tickets refundable? | Yes, until the day before. | It's today. | Then the tickets are no longer refundable.
Is breakfast included? | Yes. | Is dinner? | Dinner isn't included.
Does the battery last a day? | Yes, easily. | With the screen at full brightness? | Then it doesn't last a whole day.
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
