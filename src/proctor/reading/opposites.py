"""Words that reverse a statement: negative words and pairs of opposites."""

from __future__ import annotations

from functools import lru_cache

from proctor.reading.text.words import stem, stem_set

_ADVERSE = """
absent abolished abandoned adverse afraid alas allergic allergy avoid avoided avoiding bad ban banned bans bleak blind
blocked broken cancelled canceled ceased closed closes contraindicated crushed damage damaged danger dangerous dead deaf
decline declined
defective denied denies deny deprecated destroyed died disabled disrupt affect disagree disallow disallowed
discontinued discourage discouraged dismissed dispute disputed dropped empty
exclude excluded excludes excluding exclusion
exempt exempted expelled expire expired extinct fail failed fails failing failure false falsehood faulty
fiction flawed forbid forbidden
forbids forfeit harm loss halt halted harmful hazardous ignored ill illegal impossible inaccurate incorrect inedible
ineligible inert
infringe insufficient invalid killed lack lacked lacking lacks lapsed lethal lose loses lost misconception
misleading missed
misses missing mistake mistaken myth neglect nonsense nullified obsolete omit omitted opposed opposes overdue
overturned oversold
poisonous postponed problem prevent prevents prohibit prohibited prohibits punishable refrain refuse refused refuses
refute refuted regret
regrettably reject rejected rejects removed repealed resigned retired revoked risky rotten ruin ruined
rumour rumor scrapped
scarce shut shuts sold-out stop stopped stops stopping suspended terminated toxic unable unfortunately
unfit unlawful unlike untrue vacant vetoed violates void voided waive waived withdrawn withdrew withheld worse
wrong wrongly doubtful unlikely
penalty offence offense denial deficit poison cheat scam bogus hoax fallacy debunked reluctant hesitant
abstain ailing bankrupt breach breaches burnt careless clash clashes collapse collapsed conflicts contaminated
corrupted crash crashed cursed
deadly decayed defeat defeated deficient deleted demolished deprived deteriorated detrimental diminished disappear
disappeared
disappointing disapproved discontinue disqualified disregard dissolved disconnected dormant excused exhausted
failing fatal forgot forgotten
fruitless futile halted hinder hindered hollow hopeless horrible ignorant impaired inadequate incapable
inferior insolvent interrupt jeopardise
lacklustre malfunction malfunctioning misplaced nullify objection obstructed opponent oppose outdated
outlawed overruled
quashed rebut rebutted recalled relinquished removed rescinded resisted retracted rotted scrap scuppered
shortage snub spoil spoilt spoiled
stale stolen struggle stuck suffer suffers taboo tear terrible thwarted torn trouble turndown unsold
useless vanish vanished veto
violate vulnerable waste weak wilted withdraw withhold worthless wounded nonexistent fake
"""
_NEGATORS = """
not no never none nobody nothing nowhere neither nor cannot without seldom isn't
wasn't aren't weren't
don't doesn't didn't can't couldn't won't wouldn't shouldn't hasn't haven't hadn't ain't mustn't needn't mightn't
shan't dont doesnt
didnt isnt wasnt arent cant wont nope zero non
"""
_PAIRS = """
open: closed shut | allow permit permitted legal may welcome tolerate acceptable ok okay lawful: forbid prohibit ban
allow permit permitted legal may welcome tolerate acceptable ok okay lawful: illegal refrain outlaw unlawful
include: exclude extra omit separate supplement surcharge charge cost
safe: dangerous harmful toxic risky
need require must mandatory compulsory obligatory necessary due: optional voluntary waived exempt supplied automatic
need require must mandatory compulsory obligatory necessary due: skip | block bar: allow accessible work
apply force warning restriction curfew alert: lift | happy content: lonely sad miserable
reimburse refund cover subsidise repay: selfpaid | refund return repay: keep retain | delay late: ontime schedule
still remain: replace formerly | hold stay current charge run: formerly
guarantee automatic: discretionary depend vary | enforce: optional voluntary
accept approve grant pass agree: reject refuse decline deny | free: charge pay cost fee price ticket
work: broken faulty
rise increase grow climb gain taller rose soar surge jump: down fell fall decrease drop shrink decline
rise increase grow climb gain taller rose soar surge jump: sink reduce slip slump dip plunge
taller: shorter lower | longer: shorter | higher: lower
hotter warmer hot warm: colder cooler cold cool | faster fast quick: slower slow | slow: speed accelerate quicken
bigger larger large big: smaller small tiny
heavier heavy: lighter light | older old senior: younger newer new junior | earlier early: later late
stronger strong: weaker weak | richer: poorer
cheaper cheap: dearer expensive dear | easier easy: harder hard difficult | more: less fewer | better: worse
same identical equal alike: differ different slower faster higher lower bigger smaller larger unequal
same: longer shorter more less vary
before: after | above: below under | inside indoors: outside outdoors
alive living survive: dead die extinct perish kill
public: private | present: absent | available vacancy room space seat: full booked
final binding: appeal overturn provisional revise | full: empty vacant | married: single divorced unmarried
male man men boy: female woman women girl
keep: discard return lose | keep stay remain retain: remove delete erase | hide: show see display
start begin: end stop finish | permanent: temporary | singleuse: multipleuse rechargeable
remain stay: leave depart
vegetarian vegan: meat beef chicken pork fish | true: false | right: wrong | wet: dry
solid: liquid gas | guilty: innocent acquitted
win won: lose lost | arrive: depart | north: south | east: west | deep: shallow | wide: narrow | rough: smooth
near close: far distant
common frequent often: rare rarely uncommon scarce seldom | always: never | refundable: forfeited | hit: miss
native: foreign imported | sweet: bitter sour | increase: cut | import: export | push: pull
hire: fire | enter: exit | lock: unlock
clockwise: anticlockwise counterclockwise | forward forwards: backward backwards
active: dormant inactive retired | fresh: stale frozen | raw: cooked
manual: automatic | analogue analog: digital
carnivore: herbivore | mammal: fish reptile bird insect | metal: wood plastic | city: village town
fiction: nonfiction | deductible: taxable
denser dense: lighter | deductible: liable | guaranteed: uncertain | sunny: cloudy rainy | visible: hidden invisible
loud: quiet silent | clean: dirty polluted
natural: artificial synthetic | original: copy replica fake | voluntary: forced | cause: prevent cure
protect: harm | help: hinder hurt | attack: defend
win: draw | possible: impossible | raise: lower | north: southern | remember: forget | agree: differ
attend: miss skip | catch: miss | love like enjoy: hate dislike
solo alone: together team | ascending: descending | import: ban | transparent: opaque | flexible: rigid fixed
mandatory: discretionary | recyclable: landfill | online: offline
domestic: international | inclusive: exclusive extra | upstairs: downstairs | tidal: calm | reversible: permanent
separate: joint shared together | temporary: indefinite
employee: contractor freelance | renew: expire lapse | repay: default | profit profitable: loss | credit: debit
gain: lose
expand: contract shrink | float: sink | melt: freeze | attract: repel
urban: rural | ancient: modern | liquid: solid gas | herbivore: meat | renewable: fossil
sugar: sugarfree unsweetened | alcoholic: alcoholfree | approved: pending rejected
supplied include: bringown | rise increase grow fall decrease drop change: same flat unchanged steady
harmful dangerous bad toxic risky: harmless safe healthy good | fail failure: success succeed successful
scam fake bogus hoax: genuine real authentic legitimate | change alter: permanent fixed | summer: winter
morning: afternoon evening
daily: weekly monthly yearly
capped limited: unlimited uncapped | delete erase wipe lose: keep retain preserve untouched intact stay remain save
dismiss sack evict terminate: protect | share shared: exclusive individual sole | included free: extra surcharge
written writing: verbal oral spoken | valid: void invalid expired lapsed | expire lapse: renew continue valid unlimited
refund: forfeit nonrefundable | cancel: confirm keep proceed | postpone: proceed bring | delay: ontime punctual prompt
enable activate: disable deactivate | connect: disconnect | install: uninstall | encrypt: plain plaintext unencrypted
online internet connected: offline | lock locked: unlock unlocked open | install mount: remove dismantle
visible shown: hidden concealed | public: private confidential secret | secure: exposed vulnerable
settled paid: unpaid outstanding overdue | settled: outstanding open unpaid
employ hire: dismiss fire sack | enrol: withdraw drop | attend: skip miss absent | admit: exclude turn bar
edible: poisonous toxic inedible | waterproof watertight: leaky porous | soluble: insoluble
fullday fulltime: parttime | fulltime: parttime | singleuser: shared | permanent lasting: temporary provisional interim
healthy: sick ill unhealthy | recover: worsen deteriorate | cure: incurable | contagious infectious: harmless
benign: malignant | sterile: contaminated | vaccinate: unvaccinated | awake: asleep | sober: drunk | calm: rough stormy
improve better: worsen worse deteriorate | strengthen: weaken | tighten: loosen | widen: narrow | lengthen: shorten
expand: contract shrink | extend: shorten unchanged stand | accelerate: slow brake
appear: disappear vanish | exist: extinct fictional mythical | real genuine: fake fictional imaginary staged hoax
fact factual: myth fiction legend | prove proven: disprove disproven refute refuted debunk
confirm: contradict refute deny
support back: oppose contradict | agree: disagree object | praise: criticise | defend: attack | promote: demote
victory win: defeat loss | winner: loser | gain profit: loss deficit | surplus: deficit shortage | asset: liability
wealthy rich: poor | expensive costly: cheap inexpensive | overpriced: bargain | discount reduced: fullprice
import: export
arrival: departure | entrance: exit | enter: leave exit | ascend climb: descend | upstream: downstream
horizontal: vertical | parallel: perpendicular | clockwise: anticlockwise | convex: concave | inner: outer
major: minor | maximum: minimum | most: least | majority: minority | whole entire: part partial half
complete: incomplete partial unfinished | finish finished done ready completed: unfinished pending ongoing underway
begin started: pending | already: yet | solved fixed resolved: unresolved unsolved pending | known: unknown
familiar: strange unknown | certain sure: doubtful uncertain | clear: unclear vague ambiguous
simple: complex complicated
literal: figurative | formal: informal casual | official: unofficial | legal lawful: illegal unlawful criminal
mandatory compulsory: optional voluntary elective | binding: nonbinding voluntary | enforceable: void unenforceable
liable: exempt shielded protected immune | guilty: innocent | convict: acquit | sue: settle | ally: enemy
peace: war | friendly: hostile | polite: rude | generous: mean stingy | brave: cowardly | honest: dishonest lying
loyal: disloyal | patient: impatient | careful: careless | lazy: diligent hardworking | tidy: messy
crowded busy packed: empty deserted quiet | noisy loud: quiet silent | bright: dark dim | sharp: blunt dull
thick: thin | fat: thin slim | tight: loose | hard: soft | rough: smooth | flat: hilly steep | straight: curved bent
fertile: barren | mild: spicy severe harsh | plain: flavoured | ripe: unripe | cooked: raw | boiled fried: raw
alcoholic: nonalcoholic | dairy milk: dairyfree vegan | gluten wheat: glutenfree | nut: nutfree | meat: meatless
carnivore carnivorous: vegetarian herbivorous | wild: domestic tame | endangered: common thriving | nocturnal: diurnal
predator: prey | evergreen: deciduous | annual: perennial | freshwater: saltwater | saltwater salty: fresh freshwater
mammal: amphibian | vertebrate: invertebrate | bacteria: virus | acid acidic: alkaline base | conductor: insulator
opaque: transparent | magnetic: nonmagnetic | renewable: nonrenewable coal oil | positive: negative | odd: even
prime: composite divisible | rational: irrational | integer: fraction decimal | increase: decrease unchanged
singular: plural | vowel: consonant | active: passive | synonym: antonym | prefix: suffix | fiction novel: nonfiction
monarchy kingdom: republic | democracy: dictatorship | landlocked: coastal | colony: independent | urban city: rural
majority: minority | elected: appointed | incumbent: former | reelected: ousted | married: unmarried
divorced: married | single: married | junior: senior
beginner: expert advanced | amateur: professional | qualified: unqualified | certified: uncertified
wired: wireless | corded: cordless | battery: mains | rechargeable: disposable | upgradeable expandable: soldered fixed
adjustable: fixed | foldable: rigid | removable: fixed builtin sealed
replaceable: sealed soldered | portable: stationary
touchscreen: buttons | compatible: incompatible | supported: unsupported deprecated discontinued | open: proprietary
opensource: proprietary closed | stable: unstable beta experimental | mutable: immutable | public: internal
editable: readonly locked | writable: readonly | synchronous: asynchronous | compiled: interpreted | static: dynamic
ascending: descending | unique: duplicate | nullable: required | deprecated obsolete: current supported
direct nonstop: change connecting stopover transfer | oneway: return round | window: aisle | smoking: nonsmoking
vacant: occupied reserved booked | available: unavailable sold | staffed: unmanned unattended
serviced: selfservice | furnished: unfurnished | heated: unheated | covered: uncovered outdoor | paved: unpaved dirt
accessible: stairs steps inaccessible | wheelchair: stairs steps | pet: petfree | toll: tollfree | tax: taxfree exempt
weekday: weekend | import: domestic
"""
_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non")
_LOOKALIKES = """
until unless under union unit unite united university unique universal uncle inside into include included
includes including increase indeed individual industry information instead interest internet interview invest
involve inform insist inch income important improve import image imagine immediate impact iron distance
district discuss discover discount display disease dish distinct distribute dispatch install instal insure
insured intend interval invite invent inspect intact inner indoor indoors inhabitant mission mister mist
dismiss underground underway uniform independent invoice input insurance invasion infant infection initial
immune unlimited unrestricted unusual unusually unanimous unanimously underwater undergraduate undergo underwent
understanding unicorn unison
"""
_DENIED_BY_PREFIX = """
inaccessible inaccurate inactive inadequate inadmissible inadvisable inapplicable inappropriate inaudible incapable
incoherent incompatible incompetent incomplete inconclusive inconsistent inconvenient incorrect incurable indecisive
indefinite indestructible indirect inedible ineffective inefficient inelastic ineligible inexact inexpensive
inexperienced infertile infinite inflexible informal infrequent inoperable inoperative insane insecure insensitive
insignificant insoluble insolvent insufficient intangible intolerant intolerable invalid invisible involuntary
inseparable inorganic inhuman immature immobile immoral immovable impassable impatient imperfect impermeable
impermissible implausible impolite impossible impractical impracticable imprecise improbable improper impure illegal
illegible illegitimate illicit illiterate illogical irrational irregular irrelevant irreparable irresponsible
irreversible irreplaceable irrevocable disabled disagree disallow disallowed disappear disappeared disapprove
disapproved disconnected discontinued discourage discouraged dishonest disobey disqualified dissatisfied dissimilar
disused disproved disproven disputed discarded disbanded dissolved disrupted disappointing disappointed disadvantage
disbelief disintegrate dislike disorder disregard impaired impeded inhibit inhibited interrupted invalidated inferior
indigestible inability injured impair dispelled discredited disowned discontinue inconceivable impenetrable infeasible
incombustible indivisible inept inert indifferent disprove dispute dispel discredit dissuade disadvise
"""
PREFIXED: frozenset[str] = stem_set(_DENIED_BY_PREFIX)
"""Stems negated by a prefix other than `un` or `non`, listed because many words only look like such."""
_NO_PREFIX = frozenset(_LOOKALIKES.split()) | stem_set(_LOOKALIKES)
"""Words that only look negated by a prefix."""

NEGATORS: frozenset[str] = stem_set(_NEGATORS) | frozenset(_NEGATORS.split())
"""Stems of negations."""
ADVERSE: frozenset[str] = stem_set(_ADVERSE.replace("-", ""))
"""Stems of adverse words: they say that something is not so, absent or not to be done."""


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for entry in _PAIRS.replace("\n", "|").split("|"):
        one, _, other = (side.strip() for side in entry.partition(":"))
        for first, second in ((one, other), (other, one)):
            for word in first.split():
                found.setdefault(stem(word), set()).update(stem(opposite) for opposite in second.split())
    return {word: frozenset(others) for word, others in found.items()}


OPPOSITES: dict[str, frozenset[str]] = _opposites()
"""Stem -> stems of the opposite meaning."""


@lru_cache(maxsize=16384)
def without_prefix(word: str) -> str:
    """Return the stem without its negative prefix or ending: `safe` for `unsafe`; empty if it has none."""
    if word in _NO_PREFIX or len(word) < 5:
        return ""
    if word.endswith("less") and len(word) > 6:
        return stem(word[:-4])
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= 3:
            return stem(word[len(prefix) :])
    return ""


def are_opposite(one: str, other: str) -> bool:
    """Whether two stems are opposites."""
    return other in OPPOSITES.get(one, ()) or without_prefix(one) == other or without_prefix(other) == one
