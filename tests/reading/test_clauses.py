from __future__ import annotations

import pytest

from proctor.reading.polarity import read_polarity
from proctor.reading.question import understand


def said(question: str, reply: str) -> bool | None:
    return read_polarity(reply, understand(question)).yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is the museum open on Mondays?", "It opens every day except Mondays.", False),
        ("Is the museum open on Tuesdays?", "It opens every day except Mondays.", True),
        ("Does the cover extend to theft?", "It covers everything apart from theft.", False),
        ("Does the ticket include lunch?", "Everything but lunch is included.", False),
        ("Does the bike come with a bell?", "It comes with a bell instead of a horn.", True),
        ("Does the bike come with a bell?", "It comes with a horn instead of a bell.", False),
    ],
)
def test_what_is_excepted_is_not_so(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Can I park here on Sundays?", "Parking is for residents only.", False),
        ("Can tourists use the lounge?", "The lounge is reserved for staff.", False),
        ("Does the offer apply to students?", "It is limited to pensioners.", False),
        ("Does the offer apply to students?", "It is limited to students.", True),
        ("Is it available in Spain?", "Only in France and Italy.", False),
        ("Is there a bath?", "There is a shower instead.", False),
        ("Can the paint be used outdoors?", "For use indoors only.", False),
        ("Is there a shower?", "There is only a shower.", True),
    ],
)
def test_what_is_restricted_to_others_is_not_so(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Can I come in without an invitation?", "No invitation is needed.", True),
        ("Is there a through train?", "You don't need to change.", True),
        ("Is the lock automatic?", "No key required.", True),
        ("Do I need a key?", "No key required.", False),
        ("Must I sign?", "There's no need to sign.", False),
        ("Do I have to pay a deposit?", "You don't have to pay one.", False),
        ("Do I need to bring sheets?", "Sheets are supplied.", False),
        ("Do I need to bring sheets?", "Sheets aren't supplied.", True),
        ("Is a helmet mandatory?", "It's up to you.", False),
        ("Is a helmet compulsory?", "No helmet, no ride!", True),
    ],
)
def test_what_need_not_be_denies_a_need_and_nothing_else(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is Bern the capital?", "Many people guess Bern, but it's Zurich.", False),
        ("Is Bern the capital?", "Many people guess Zurich, but it's Bern.", True),
        ("Do owls sleep at night?", "People often assume they sleep at night. In fact they hunt then.", False),
        ("Is the bridge made of steel?", "My uncle thought it was steel, but he was wrong.", False),
        ("Is tea grown here?", "It used to be grown here. Nowadays it's all imported.", False),
    ],
)
def test_what_is_believed_and_then_corrected_is_not_so(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Does the policy cover fire damage?", "It covers theft, but not fire.", False),
        ("Can I carry over unused days?", "They can be carried over.", True),
        ("Can I cancel the order?", "You may withdraw within a week.", True),
        ("Does the bus stop at the zoo?", "It calls at the zoo.", True),
        ("Does the bus stop at the zoo?", "It goes past without stopping.", False),
        ("Is the drug sold without a prescription?", "A prescription is required.", False),
        ("Is the drug sold without a prescription?", "You don't need a prescription.", True),
        ("Is photography allowed?", "Photography without flash is allowed.", True),
        ("Is photography allowed?", "It's allowed as long as you don't use a flash.", True),
    ],
)
def test_a_word_that_denies_counts_where_it_is_what_was_asked(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is the app free?", "It's €3.99.", False),
        ("Is the app free?", "It's $0.00.", True),
        ("Will I be charged for the bag?", "It's 12 euros.", True),
        ("Is breakfast included?", "There's a supplement of 9 dollars.", False),
        ("Is breakfast included?", "Breakfast is sold separately.", False),
        ("Is the pool open day and night?", "Day and night.", True),
    ],
)
def test_a_price_is_not_free(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    "reply",
    [
        "No information on that was found.",
        "We are unable to offer advice on this.",
        "I don't know the answer.",
        "That cannot be determined from here.",
        "I have no idea.",
    ],
)
def test_who_does_not_know_says_neither(reply: str) -> None:
    found = read_polarity(reply, understand("Is the fee refundable?"))
    assert found.yes is None
    assert found.declined


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Has the roof been mended?", "It is still leaking.", False),
        ("Has the parcel arrived yet?", "Delivery pending.", False),
        ("Is the tunnel finished?", "They are still digging.", False),
        ("Has the train left?", "It left at nine.", True),
        ("Has the line been closed?", "Trains are still running.", False),
        ("Is the shop still open?", "It is still open.", True),
        ("Are all rooms heated?", "Some rooms are heated.", False),
        ("Have all guests arrived?", "Most have.", False),
        ("Are all rooms heated?", "All of them are heated, most by gas.", True),
        ("Must I come in person?", "A phone call will do.", False),
        ("Must I come in person?", "A phone call won't do.", True),
        ("Is an hour needed?", "Ten minutes is plenty.", False),
    ],
)
def test_what_goes_on_or_holds_of_some_falls_short(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is parking allowed in the yard?", "Parking is forbidden on the street; in the yard you can.", True),
        ("Is parking allowed on the street?", "Parking is forbidden on the street; in the yard you can.", False),
        ("Can cats eat garlic?", "Cats love tuna. Garlic is harmful.", False),
        ("Is the river clean?", "So you want to know about the river being clean. It is polluted.", False),
        ("Is the river clean?", "Is the river clean? It is polluted.", False),
        ("Will I lose my seat if I don't pay?", "You will keep it.", False),
        ("Do I need a coat?", "There's no way round it.", True),
        ("Are there tables for tonight?", "We're not fully booked.", True),
        ("Does the lamp come with a bulb?", "Bulbs are sold separately.", False),
        ("Is Elm Road a dead end?", "You'd think so. But it leads to the park.", False),
    ],
)
def test_the_clause_that_answers_counts(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Did Bell invent it?", "Bell, not Edison, invented it.", True),
        ("Did Bell invent it?", "Edison, not Bell, invented it.", False),
        ("Is it made of gold?", "Gold, not silver.", True),
        ("Did they make a profit?", "They closed the year with a loss.", False),
        ("Does it use much power?", "It uses no small amount of power.", True),
        ("Is it a problem if I am late?", "Not to worry.", False),
        ("Is it a problem if I am late?", "That would be a problem.", True),
        ("Does it work offline?", "Offline mode: not supported.", False),
    ],
)
def test_what_is_only_set_against_it_denies_nothing(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Isn't the shop open?", "It stays closed.", False),
        ("Isn't the shop open?", "It's open.", True),
        ("Doesn't the bus run on Sundays?", "It runs on Sundays.", True),
        ("Don't cats like water?", "Cats dislike water.", False),
        ("Is the bar open at night?", "It's open day and night.", True),
        ("Is the fish fresh?", "Some waiters will tell you no. Don't believe them: it is fresh.", True),
        ("Does the alarm ring at night?", "It does so every hour.", True),
        ("Do I have to wear a helmet?", "No exceptions here: you should wear one.", True),
    ],
)
def test_negative_questions_and_turns_of_phrase_are_read(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Will you ship it today?", "I'll ship it today.", True),
        ("Can dogs stay?", "Dogs are fine with us.", True),
        ("Is the hotel near the beach?", "It's close to the beach.", True),
        ("Is the exam hard?", "The exam is hard.", True),
        ("Does it flow into the Nile?", "It flows into the Nile.", True),
        ("Is the flat on the ground floor?", "The flat is on the ground floor.", True),
        ("Is there a train to Los Angeles?", "There is a train to Los Angeles.", True),
        ("Is data included?", "Unlimited data is included.", True),
        ("Is a noted painter among them?", "A noted painter is among them.", True),
        ("Can I eat before the scan?", "You must fast for six hours.", False),
        ("Is the car fast?", "The car is fast.", True),
    ],
)
def test_words_that_only_look_like_denials_deny_nothing(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Is the painting genuine?", "The painting hangs in Oslo."),
        ("Does the lamp dim?", "The lamp has a long cord."),
        ("Will the mayor resign?", "The mayor spoke to the press."),
        ("Has the dog been fed?", "The dog is in the garden."),
        ("Is the ferry on time?", "The ferry is blue."),
    ],
)
def test_to_name_what_the_question_is_about_is_no_answer(question: str, reply: str) -> None:
    assert said(question, reply) is None


def test_what_little_speaks_for_is_marked_so() -> None:
    asked = understand("Can I hire a bike at the station?")
    assert read_polarity("There is a bike shop.", asked).weak
    assert not read_polarity("You can hire a bike at the station.", asked).weak


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Can children enter?", "There is no age limit.", True),
        ("Is there an age limit?", "There is no age limit.", False),
        ("Is salt water-soluble?", "It dissolves in water.", True),
        ("Is the office closed?", "It stays shut.", True),
        ("Can I bring my dog?", "Guide dogs only.", False),
        ("Is a key necessary?", "You can't get in without one.", True),
        ("Is the fair still on?", "It ended yesterday.", False),
        ("Are meals included?", "Bring your own food.", False),
    ],
)
def test_limits_synonyms_and_fragments_are_read(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Do I get a discount?", "You get 20 % off.", True),
        ("Can I fish in the river?", "You may fish in the river but not in the pond.", True),
        ("Has the rent gone up?", "It has fallen.", False),
        ("Has the rent gone up?", "It has stayed the same.", False),
        ("Is the poet alive?", "She passed away in May.", False),
        ("Is chalk toxic?", "It is harmless.", False),
        ("Does it include a map?", "The map is a paid add-on.", False),
        ("Is the heating on?", "It's off.", False),
        ("Does it include tax?", "Tax comes on top.", False),
        ("Did the trial fail?", "It was a success.", False),
        ("Is the bell broken?", "It doesn't ring any more.", True),
        ("Is the note a fake?", "It's genuine.", False),
        ("Can I change my name there?", "Names are permanent.", False),
    ],
)
def test_opposites_in_turns_of_phrase_are_read(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Can guests vote?", "Only members may vote.", False),
        ("Can members vote?", "Only members may vote.", True),
        ("Are moles blind?", "Contrary to popular belief, moles are not blind.", False),
        ("Do moles see light?", "They do see light, contrary to what people think.", True),
        ("Can the filter be replaced?", "The filter isn't replaceable.", False),
        ("Can I get it back if I lose it?", "Lost items are not given back.", False),
        ("Has the bill been paid?", "Payment is outstanding.", False),
    ],
)
def test_who_may_and_what_is_denied_is_read(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes
