"""Synonyms: a small table of everyday English, not a dictionary."""

from __future__ import annotations

from functools import lru_cache

from proctor.reading.text.lazy import lazy
from proctor.reading.text.words import stem

_WHEN = r"(?:time|year|date|day|month|century|decade|hour)"
_ONE = r"(?:i|we|you|one|they|people|visitors|guests|customers)"
_VERBS_IN_TWO_WORDS = (
    (r"\b(?:take|takes|took|taken|taking|soak|soaks|soaked|suck|sucks|sucked) (?:in|up)\b", "absorb"),
    (r"\b(?:give|gives|gave|given|giving|let|lets) off\b", "emit"),
    (r"\b(?:turn|turns|turned|turning|switch|switches|switched|switching) ((?:[\w'-]+ ){0,3}?)on\b", r"\1 enable"),
    (r"\b(?:turn|turns|turned|turning|switch|switches|switched|switching) ((?:[\w'-]+ ){0,3}?)off\b", r"\1 disable"),
    (r"\b(?:lock|locks|locked|locking|shut|shuts|shutting) (?:up|down)\b|\bcloses? (?:its|the|their) doors\b", "close"),
    (r"\b(?:set|sets|setting) (?:off|out)\b(?! of)|\b(?:pull|pulls|pulled) out\b", "depart"),
    (r"\b(?:turn|turns|turned|show|shows|showed) up\b", "arrive"),
    (r"\b(?:kick|kicks|kicked) off\b|\b(?:get|gets|got) (?:under way|underway|going)\b", "begin"),
    (r"\b(?:come|comes|came) to an end\b", "end"),
    (r"\b(?:knock|knocks|knocked|throw|threw|thrown|put) ((?:[\w'-]+ ){0,2}?)out(?= (?:in|of|by|at)\b)", r"beat \1"),
    (r"\b(?:lose|loses|lost|losing) (?:against|to)\b", "beaten by"),
    (r"\b(?:sign|signs|signed|signing) up\b|\bput (?:my|your|one's) name down\b", "register"),
    (
        r"\b(?:hand|hands|handed|give|gives|gave|bring|brings|brought|send|sent|take|took) ((?:[\w'-]+ ){0,3}?)back\b",
        r"return \1",
    ),
    (r"\b(?:hand|drop|turn) ((?:[\w'-]+ ){0,3}?)(?:in|off)\b", r"\1 return"),
    (r"\bget ((?:[\w'-]+ ){1,3}?)back\b", r"return \1"),
    (r"\b(?:are|is)((?: there)?(?: any| some)? (?!on |to |the )[\w'-]+(?: [\w'-]+)?) left\b", r"available \1"),
    (r"\bget(?:ting)? rid of\b|\bdispos(?:e|es|ed|ing|al) of\b|\bthrow(?:n|ing)? (?:away|out)\b", "discard"),
    (r"\b(?:fill|fills|filled|filling) (?:in|out)\b", "complete"),
    (r"\b(?:pick|picks|picked|picking) ((?:[\w'-]+ ){0,3}?)up\b", r"collect \1"),
    (r"\b(?:look|looks|looked|looking) after\b|\btak(?:e|es|en|ing) care of\b|\btook care of\b", "care for"),
    (
        r"\b(?:get|gets|getting) in touch with\b|\b(?:turn|speak|talk|write|reach out|apply) to(?=\?|$)"
        r"|\bget hold of\b|\bturn to\b",
        "contact",
    ),
    (r"\b(?:carry|carries|carried|carrying) out\b", "perform"),
    (r"\b(?:give|gives|gave|given|giving) up\b", "quit"),
    (
        r"\b(?:go|goes|going|went) to the polls\b|\bcast (?:a|an|the|their|his|her|one's|your) (?:votes?|ballots?)\b",
        "vote",
    ),
    (r"\b(?:come|comes|came) out\b(?= (?:in|on)\b|\?|$)|\bhit the (?:shelves|shops|market)\b", "release"),
    (r"\b(?:get|go|come|walk) in(?:to|side)?\b|\blets? (?:[\w'-]+ ){1,2}in\b", "enter"),
    (r"\b(?:be )?let in\b|\b(?:gain|get) (?:entry|access|admission)(?: to)?\b", "enter"),
    (r"\bha(?:ve|s) (?:an? |the |their |your |one's )?([\w-]+) on(?=\?|$)", r"wear \1"),
    (r"\bplaced\b", "put"),
    (r"\bgo(?:es|ing)? for(?=\?|$)", "price"),
)
"""Phrasal and compound verbs -> a single verb with the same meaning."""
_WAYS_TO_ASK = (
    (
        r"\bfrom (?:when|(?:what|which) (?:time|hour))(?=[^?]*\b(?:enter|visit|open|available|get (?:my|the|into))\b)",
        "when open enter",
    ),
    (r"\b(?:what|which) (?:place|spot)(?: (?:takes?|accepts?|collects?)(?: back)?\b)", "where return"),
    (r"\b(?:what|which) (?:place|spot)\b", "where"),
    (
        r"\b(?:stand|stands|stood|run|runs|ran) (?:for|in) (?:the )?(?:election|office|parliament|president)s?\b",
        "candidate",
    ),
    (r"^can (?:i|we|one) (?:buy|purchase) ([^?]*?)(?: here| from you)?\?", r"do you sell \1?"),
    (r"\bout of order\b|\bnot working\b", "broken"),
    (r"\b(?:running|playing) time\b", "duration"),
    (r"\bwhat is it that (?:makes?|made|causes?|caused)\b", "why"),
    (r"\bwhat (?:year|time|day|date|month) (?:is|was) it (?:when|that)\b", "when"),
    (r"\bfor the (?:very )?first time\b", "first"),
    (
        r"\bsince (?:what|which) (\w+) (?:has|have) ((?:[\w'-]+ ){1,4}?)(?:been (?:available|possible|around|there"
        r"|supported|part of \w+)|existed)\b",
        r"which \1 introduce \2",
    ),
    (
        r"\bfor nothing\b|\bwithout (?:having to pay|paying|charge|a fee)\b|\bat no (?:extra )?(?:cost|charge)\b"
        r"|\bfree admission\b|\badmission(?: is)? free\b",
        "gratis",
    ),
    (
        r"\bhow (?:expensive|dear|costly|pricey)\b|\bset(?:s)? (?:me|you|us|one) back\b|\bprice tag (?:of|on)\b"
        r"|\bwhat (?:do|does|would) [\w' ]{1,30}? charge\b(?: for)?",
        "how much price",
    ),
    (r"\baccount balance\b|\bbalance (?:of|on|in) (?:my|the|your) account\b", "how much money account"),
    (r"\blight(?:s|ing)? (?:up )?an? (?:cigarette|cigar|pipe)\b|\bhave a (?:cigarette|smoke)\b|\blight up\b", "smoke"),
    (
        rf"\bis it (?:ok|okay|all ?right|fine|possible|permitted|allowed|legal|acceptable|permissible)"
        rf"(?: for [\w']+)? (?:to|if {_ONE})\b|\bwould (?:it|anyone|you) (?:be a problem|mind) if\b|\bdo you mind if\b",
        "is allow",
    ),
    (r"\b(?:obliged|required|forced|supposed|expected|bound|compelled) to\b", "require"),
    (r"\bwhose (?:pupil|student|disciple|apprentice) (?:is|was)\b", "who teach"),
    (r"\bwhose (?:pupils|students|disciples|apprentices) (?:are|were)\b", "who teach"),
    (r"\bwhose (?:employee|worker) (?:is|was)\b", "who employ"),
    (
        r"\bwhose (?:signature|name) (?:is|was|stands|stood|appears|appeared)(?: \w+)? "
        r"(?:under|on|below|at the foot of)\b",
        "who sign",
    ),
    (r"\bwhose (invention|discovery|design|creation) (?:is|was)\b", r"who \1"),
    (r"\bwhom? (?:do|does|did) ((?:[\w'-]+ ){1,3}?)(?:(?:report|answer) to|work for)\b", r"who manage \1"),
    (r"\b(the|my|your|our|this|his|her|their|when is|when's) last (?=[a-z])", r"\1 final "),
    (r"\bon behalf of\b|\bin the name of\b", "for"),
    (
        r"\bwhat (?:are|is|will be|would be) the (?:consequences?|results?|outcome)(?: (?:of|if|for|when))?\b",
        "what happen",
    ),
    (
        r"\bstand(?:s|ing)? for\b|\b(?:is|are|was)(?: [\w']+){0,3} (?:telling|trying to tell) (?:me|us|you)\b"
        r"|\btells? (?:me|us|you)\b|\bwhat is meant by\b|\bmeaning of\b|\bsense of\b",
        "mean",
    ),
    (
        r"\bwhat (?:do|must|should|can|shall) (?:i|you|we|one) (?:press|push|hit|click(?: on)?|tap)\b(?: to)?",
        "which button",
    ),
    (
        r"\bof how many ([\w'-]+) (?:is|are|was|were)((?: [\w'-]+){1,5}?) (?:made up|composed|formed)\b",
        r"how many \1 \2 have",
    ),
    (r"\b(?:is|are|was|were) (?:made up|composed|formed) of\b|\bconsists? of\b|\bcompris(?:e|es|ed)\b", "have"),
    (r"(?<!is )(?<!are )(?<!was )(?<!were )(?<!be )(?<!been )(?<!get )\bused (?=[a-z]+s\b)(?!to\b)", "old "),
    (r"\bright now\b|\bat (?:the moment|present)\b", "now"),
    (r"\bin what way\b|\bby what means\b|\bwhat(?:'s| is) the way (?:to|of)\b", "how"),
    (r"\bwhat(?:'s| is| was) the name of the (?:person|man|woman|one) (?:who|that)\b", "who"),
    (r"\bwhat (?:person|people|man|woman|author|inventor)\b(?= (?!is|was|are|were))", "who"),
    (r"\bwhat(?:'s| is| was) the name of the (\w+) (?:that|which|who)\b", r"which \1"),
    (r"\b(?:runs?|ran) through\b", "flow through"),
    (r"\badmitted\b", "enter"),
    (r"\bwho (?:is|was) it (?:that|who)\b|\bwho(?: is| was|'s) the (?:one|person|man|woman) (?:who|that)\b", "who"),
    (r"\bwhat length of time\b|\bfor what length of time\b|\bfor how long\b", "how long"),
    (
        r"\b(?:what|which) distance\b|\bhow (?:many|much) "
        r"(?:miles|kilometres|kilometers|metres|meters)(?= (?:is|are) it\b)",
        "how far",
    ),
    (r"\b(?:what|which) (?:sum|amount of money)\b", "how much price"),
    (
        r"\bwhat do (?:you|they|people|we) call\b|\bby what name (?:is|are|was)\b|\bunder what name (?:is|are|was)\b",
        "what name",
    ),
)
"""Ways to ask -> the plain question word."""
_PHRASES = (
    (r"\b(do|does|did|can|may|must|should|could|is|has|will|would|if|when) one\b(?! of)", r"\1"),
    (r"\bannual leave\b|\bdays? off\b|\btime off\b|\bpaid leave\b", "holiday"),
    (
        r"\bhow come\b|\bfor what reasons?\b|\bwhat (?:is|was|are|were) the "
        r"(?:reasons?|cause)\b(?: (?:for|of|why|behind|that)\b)?",
        "why",
    ),
    (r"\bwhat (?:causes?|caused|leads? to|led to|brings? about|brought about|makes?|made)\b(?! up\b)", "why"),
    (r"\b(?:have|has|need|needs) to pay\b|(?<!^)\bmust (?:i |we |you |one )?pay\b", "require price"),
    (r"\bdeath toll\b", "how many die"),
    (r"\bat what intervals\b", "how often"),
    (r"\bopen(?:s|ed)? (?:its|the|their) doors\b", "open"),
    (r"\bto whom do (?:we|you) owe\b", "who"),
    (
        r"\bdo(?:es)? the (?:law|rules?|policy) (?:allow|permit)\b|\bis it legal to (?:ride|use|drive|have)\b",
        "is allow",
    ),
    (r"\bno[- ]([\w]+)[- ](?:policy|rule)\b", r"\1 forbid"),
    (r"\bruns? out\b|\bran out\b", "expire"),
    (r"\b(?:last|family|second) name\b", "surname"),
    (r"\bput(?:ting)? off\b|\bpushed back\b", "postpone"),
    (r"\b(?:is|are|was|were) responsible for\b|\bwhose (?:job|task|duty|responsibility) (?:is|was)\b", "who manage"),
    (r"\b(?:come|comes|came) to the throne after\b", "succeed"),
    (r"\b(?:am|are|is|be) (?:i |we |you |one )?(?:obliged|required|forced|supposed) to\b", "require"),
    (r"\b(?:do|does|did|will|would)(?= (?:\w+ ){1,4}?(?:have|need) to\b)", ""),
    (r"\b(?:have|has|had) (?:got )?to\b|\bneeds? to\b|^must\b", "require"),
    (r"\bat whose expense\b|\bwho (?:covers|bears|foots) the (?:costs?|bill) (?:of|for)\b", "who price for"),
    (r"\bin charge of\b|\bat the helm of\b|\bat the head of\b", "manage"),
    (r"\bwho(?: is| was|'s)? (?:the )?(?:running|runs|ran|heads|headed|leads|led)\b", "who manage"),
    (r"\bchief executive(?: officer)?\b|\bceo\b|\bmanaging director\b", "manage"),
    (r"\b(?:came|come|comes) up with\b|\bthought up\b|\bwhose idea (?:is|was|were)\b", "who invent"),
    (r"\bdate of birth\b|\bbirth ?date\b|\bbirthday\b", "when born"),
    (r"\bplace of birth\b|\bbirth ?place\b|\b(?:come|comes|came) from\b", "where born"),
    (r"\bdate of death\b", "when die"),
    (r"\bplace of death\b", "where die"),
    (r"\b(?:until|till) (?:when|what time|which hour)\b(?=[^?]*\bopen\b)([^?]*)\bopen\b", r"when \1 close"),
    (
        rf"\b(?:by|until|till) (?:when|(?:what|which) {_WHEN})\b|\bhow late\b|\bdeadline\b"
        rf"|\bwhat(?:'s| is) the (?:last|latest) (?:{_WHEN} )?",
        "when deadline ",
    ),
    (rf"\b(?:in|at|on|from|during) (?=(?:what|which) {_WHEN}\b)", ""),
    (rf"\b(?:what|which) {_WHEN}\b(?! of)|\bhow long ago\b", "when"),
    (
        rf"^what(?:'s| is| was| are| were)((?: (?!per |an? |each |every |of |in |for )[\w']+){{0,4}}?) {_WHEN}s?\b",
        r"when \1",
    ),
    (
        r"\b(?:in|at|to|from) (?:what|which) (?:place|location|spot)\b|\bwhereabouts\b|\bwhat(?:'s| is) the "
        r"(?:location|address) of\b",
        "where",
    ),
    (r"\b(?:what|which) (?:person|people|man|woman)\b|\bby whom\b", "who"),
    (r"\b(boil|melt|freez)ing point\b", r"temperature \1"),
    (r"\bhead(?: |-)?quarters\b|\bhead offices?\b|\bhq\b|\bmain office\b", "headquarter"),
    (r"\bcar ?parks?\b|\bparking (?:lots?|spaces?|places?)\b", "parking"),
    (r"\bfree\b(?! (?:of|from|to|time|will|speech|kick))", "gratis"),
    (r"\bset up\b|\bstarted up\b", "establish"),
    (r"\bcall(?:ed|s|ing)? off\b", "cancel"),
    (r"\bover(?=\?)", "end"),
    (r"\bwhose (?:opera|novel|book|poem|play|song|symphony|work|sonata|story|drama) (?:is|was)\b", "who write"),
    (r"\bwhose (?:painting|portrait|picture) (?:is|was)\b", "who paint"),
    (
        r"\bwhat(?: are| is|'s) the (?:right |best |easiest |fastest |quickest |simplest )?"
        r"(?:steps?|ways?|procedures?|process|method) (?:for|to|of)\b",
        "how",
    ),
    (r"\bwhat (?:do|must|should|can) (?:i|we|you) (?:(?:have|need) to )?do (?:in order )?to\b", "how"),
    (r"\bg(?:o|oes|oing|one) ahead\b|\btak(?:e|es|ing|en) place\b|\btook place\b|\bwent ahead\b", "happen"),
    (r"\bpass(?:ed|es)? away\b", "die"),
    (r"\bgo(?:es)? up\b|\bwent up\b|\bgoing up\b", "rise"),
    (r"\bgo(?:es)? down\b|\bwent down\b|\bgoing down\b", "fall"),
    (
        r"\bhow (?:many|much) (seconds|minutes|hours|days|weeks|months|years)(?= (?:do|does|did|is|are|was"
        r"|were|will|must|should|can|have|has|had)\b)",
        "how long",
    ),
    (r"\bhow many (metres|meters|kilometres|kilometers|miles|feet) (?:high|tall)\b", "how high"),
    (r"\b(?:head ?count|workforce|number of (?:employees|staff|workers))\b", "how many employee"),
    (r"\bhow many people work\b", "how many employee"),
    (
        r"\bpopulation\b|\bnumber of inhabitants\b|\bhow many (?:people|inhabitants|residents)(?: \w+)? live\b",
        "how many inhabitant",
    ),
    (r"\b(?:the |what )?(?:total )?(?:number|count|tally) of\b", "how many"),
    (r"\bmake (?:a|one's|his|her|their) living\b|\bdo(?:es)? for a living\b", "occupation"),
    (r"\bhow (?:frequently|regularly)\b|\bwhat(?:'s| is) the frequency of\b", "how often"),
    (r"\bhow much (?:is|are|was|were)\b", "how much price"),
    (r"\bfree of charge\b|\bfor free\b|\bat no (?:cost|charge)\b|\bcosts? nothing\b|\bcomplimentary\b", "gratis"),
    (r"\b(?:free|rid|devoid) of\b|\black(?:s|ing)?\b", "without"),
)
PHRASES = tuple((lazy(pattern), f" {word} ") for pattern, word in (*_WAYS_TO_ASK, *_VERBS_IN_TWO_WORDS, *_PHRASES))
"""Phrases in a normalised question -> the plain word."""

_ALIKE = """
write author writer pen compose composer poet novelist handiwork | design architect designer | paint painter | film
movie picture | direct director filmmaker | establish founded founder create creator origin originate | invent inventor
devise brainchild | discover discoverer discovery | build builder construct construction erect | make maker
manufacture manufacturer produce producer production | kill killer assassinate assassin murder murderer slay slayer |
win winner victor champion victory triumph | beat beaten defeat overcome eliminate | manage manager leader head
management boss chief supervise supervisor oversee | own owner belong possess possession property | publish publisher
publication | sing singer vocalist | teach teacher instruct instructor tutor | coach trainer | perform performer |
begin start commence commencement beginning launch outset | end finish conclude conclusion terminate termination
completion complete | price cost charge fee pay payment instalment installment expense tariff rate | weight weigh
heavy | height tall high altitude elevation | depth deep | width wide broad breadth | age old | speed fast quick
quickly velocity | distance far away remote | size large big area | temperature hot warm | duration last period |
length long | require need requirement necessary mandatory compulsory obligatory obligation oblige essential | allow
permit permissible permission legal allowed welcome authorise authorize lawful | bear born birth | die death dead
decease | marry marriage spouse wife husband wed wedding | live reside residence resident inhabitant inhabit dwell |
employ employee staff worker personnel employment colleague | holiday vacation | buy purchase acquire acquisition
buyer purchaser | sell sale seller vendor stock | language tongue | car vehicle automobile | shop store | valid
validity | expire expiry expiration | send ship deliver delivery dispatch shipping shipment post | arrive arrival |
depart departure leave | cancel cancellation scrap | cover include contain comprise inclusive | repair fix mend |
occupation job profession | salary earn wage income | name call title | sign signature signatory | locate situate
location whereabouts | phone telephone | doctor physician gp | lawyer attorney solicitor | refund reimburse
reimbursement | biggest largest greatest | smallest tiniest littlest | highest tallest | lowest shortest | symbol
abbreviate abbreviation | reason cause | destroy destruction ruin demolish | close shut closing closure | open opening
| lend loan borrow | elect election vote | approve approval clear clearance | happen occur occurrence proceed | choose
select choice selection pick | help assist assistance aid | ask inquire enquire | use usage utilise utilize | test
exam examination | sickness illness disease ill ailment | quantity amount | maximum most top limit cap | minimum least
| capacity seat | register registration enrol enroll enrolment | apply application applicant | insure insurance |
color colour shade hue | client customer | mistake error | firm company business | eat food meal diet | drink drank
drunk drinkable beverage potable | visit visitor attend attendance attendee | accept acceptance | develop developer
development | flat apartment | lift elevator | lorry truck | rubbish garbage trash | town city | pupil student | baby
infant | journey trip travel ride | photo photograph | prize award | share percentage proportion fraction percent |
play portray act actor | mean meaning | crew team squad department | rule regulation policy | children child kid |
adult grownup | final decider | material substance fabric | ingredient component | medicine drug medication | taste
flavour flavor | road street | rain rainfall precipitation | snow snowfall | wind breeze | cold chilly | danger
dangerous hazardous hazard | safe safety | healthy health | noisy noise loud racket din | quiet silent silence mute |
damage harm | injure injury hurt wound | steal theft thief | crime criminal | prison jail | accuse accusation | guilty
guilt | punish punishment penalty | tax duty | debt owe | profit earnings | revenue turnover | budget funding fund |
invest investment investor | expensive dear costly | cheap inexpensive affordable | discount reduction rebate |
guarantee warranty | replace replacement substitute successor succeed | predecessor precede | resign resignation quit
| retire retirement | hire recruit recruitment appoint appointment | fire dismiss dismissal sack | promote promotion |
train training | meet meeting | discuss discussion | decide decision | agree agreement | contract deal treaty | invite
invitation | join member membership | participate participation participant | compete competition contest tournament |
sport game match | rank ranking place position | record best | train railway rail | plane aeroplane airplane aircraft
flight fly | ship boat vessel ferry | bike bicycle cycle | walk foot pedestrian | luggage baggage suitcase bag |
passenger traveller traveler | hotel inn accommodation | room chamber | bathroom toilet lavatory | kitchen cook |
garden yard | pool swim | beach shore seaside coast | mountain peak summit | forest wood | river stream | sea ocean |
border frontier | currency money | flag banner | king monarch ruler | army military troops soldier | war conflict |
battle fight fought | attack assault | invade invasion | bomb explosion explode | weapon gun arms | religion faith
church | pray prayer | wine beer alcohol alcoholic | smoke smoking smoker cigarette tobacco | pet animal | dog puppy |
cat kitten | cow cattle | pig pork | meat beef | vegetable veg | tree plant | flower blossom bloom | grow growth |
breed breeding reproduce | hunt hunting | fish fishing | star sun | moon satellite | gas fuel petrol | oil petroleum |
electricity power electric | computer pc laptop | software program programme app | file document | password passcode |
website site webpage | internet online web | email mail | print printer printing | update upgrade | version edition
release | install installation | backup copy | screen display | storage memory | safe secure security | support back |
train educate education | university college | book novel | chapter section | read reader | song track tune | band
group | concert gig show | theatre theater | museum gallery | exhibition exhibit | ticket admission entry | queue line
| seat chair | floor storey level | door entrance | window pane | castle fortress | church cathedral | hospital
clinic | surgery operation operate | pain ache sore | infection infect contagious infectious | vaccine vaccination
vaccinate jab | pregnant pregnancy | heart cardiac | tooth dental dentist | eye sight vision | allergy allergic | dose
dosage shot | pill tablet capsule | vegetarian veggie | sugar sweet | salt salty | bake baker oven roast | boil
boiling | freeze freezing frozen | melt melting thaw defrost | burn burning burnt | conduct conductor conductive |
dissolve soluble | float buoyant | magnetic magnet | poison poisonous toxic toxin | edible eatable | extinct
extinction | endanger endangered | migrate migration | hibernate hibernation | lay egg | speak speaker | translate
translation translator | spell spelling | pronounce pronunciation | clean cleaning cleaner wash | recycle recycling
recyclable | waterproof watertight | wireless cordless | rechargeable recharge | compatible compatibility | available
availability | reserve reservation booking | confirm confirmation | remind reminder | complain complaint | review
rating | recommend recommendation advise advice | warn warning | forbid ban prohibit prohibition | exempt exemption |
entitle entitlement eligible eligibility qualify | benefit advantage perk | disadvantage drawback | difference differ
distinguish | similar alike resemble | equal same | opposite reverse | fall sink drop decline decrease | postpone
delay defer | border neighbour neighbor adjoin | bite bit bitten | blow blew blown | catch caught | draw drew drawn |
feed fed | feel felt | forget forgot forgotten | hang hung | hide hid hidden | lay laid | lend lent | light lit | mean
meant | ride rode ridden | ring rang rung | shake shook shaken | shine shone | shoot shot | show shown | sleep slept |
spend spent | strike struck | swear swore sworn | tear tore torn | throw threw thrown | understand understood | wake
woke woken | hear heard | deal dealt | dig dug | freeze froze | grind ground | rob robber robbery | fly flew flown |
bear bore borne | seek sought | prove proven proof | shrink shrank shrunk | weave wove woven | learn learnt | leap
leapt | swell swollen | swing swung | stick stuck | cling clung | creep crept | forgive forgave forgiven | mow mown |
sew sewn | sow sown | saw sawn | spring sprang sprung | sting stung | weep wept | wind wound | breed bred | bind bound
| bend bent | bleed bled | flee fled | kneel knelt | lean leant | light lit | slide slid | spin spun | spit spat |
sweep swept | succeed succeeded successor heir | microphone mic | absorb absorption | emit emission | introduce
introduction | collect collection | return hand | discard dispose disposal | enable activate activation | disable
deactivate | mean signify denote indicate | rebel insurgent | licence license | appear emerge | attempt try effort |
avoid evade | belief believe | break snap | bright luminous | calculate compute calculation | carpet rug | celebrate
celebration | chairman chair chairwoman chairperson | change alter alteration modify modification | class lesson
course | clever smart intelligent | consume consumption | crowd audience spectator | cure remedy | custom tradition |
customer shopper | daily everyday | describe description | detect notice | dinner supper | disappear vanish | dish
plate | distribute distribution | doubt uncertainty | dough batter | driver chauffeur motorist | editor edit | empty
vacant | enemy foe | enlarge expand extend extension | equip equipment gear | escape flee | estimate assess assessment
| event incident | exact precise | excuse apology | expert specialist | explain explanation | explore explorer
exploration | famous renowned well-known | father dad | fence railing | flood flooding | forecast predict prediction |
former ex | friend mate | frighten scare | fun enjoyment | funny comical | garage workshop | gather assemble | glad
happy | glasses spectacles | grandfather grandpa | grandmother grandma | guard protect protection | habit custom |
hall auditorium | hate detest | heat warmth | heating radiator | hidden concealed | huge enormous gigantic | idea
concept notion | improve improvement | insect bug | inspect inspection examine | instrument tool device | invoice bill
| jewel gem | journalist reporter | lake loch | landlord owner | leader head | leaflet brochure flyer | liberty
freedom | link connect connection | liquid fluid | listen hear | machine appliance apparatus | magazine journal |
maintain maintenance | middle centre center | midday noon | mother mum mom | movement motion | music tune | mystery
riddle | net mesh | occupy occupancy | officer policeman | organise organisation organize organization | oven stove
cooker | pack package parcel packet | page sheet | pair couple | part portion | pavement sidewalk | people folk |
perfume scent | pipe tube | port harbour harbor | possibility chance probability likelihood | pot pan | practice
practise | prepare preparation | pretty beautiful | previous prior | priest vicar | professor lecturer | progress
advance | project scheme | promise pledge vow | proposal suggestion suggest propose | protest demonstration | pull
drag | question query | reach attain | real genuine | rebuild reconstruct reconstruction | receive receipt | recover
recovery | relation relative | rent hire lease tenancy | renew renewal | rescue save | restaurant eatery diner |
result outcome | rich wealthy | rope cord string | sad unhappy | sailor seaman | sample specimen | satisfied content |
scientist researcher | search seek | settle settlement | shoe boot footwear | shout yell | sick unwell | silly foolish
stupid | single unmarried | skill ability | solve solution resolve | stairs staircase | statue sculpture | stone rock
| story tale | strange odd weird | street avenue lane | strength power | subject topic | subscribe subscription |
suburb outskirts | summary outline | supermarket grocery | survive survival survivor | sweater jumper pullover | taxi
cab | teenager youth adolescent | telly tv television | thin slim slender | tidy neat | timetable schedule | tired
exhausted | toilet restroom | tourist sightseer | transport transportation | treat treatment | trousers pants | trust
confidence | underground subway metro tube | understand comprehend | unemployed jobless | vacuum hoover | valuable
precious | value worth | view outlook | village hamlet | voucher coupon | wallet purse | wardrobe closet cupboard |
warehouse depot | watch clock | weak feeble | weather climate | wet damp moist | wood timber lumber | yearly annual |
young youthful
"""

_SUFFIXES = lazy(
    r"(?:isation|ization|ation|ition|ment|ness|ance|ence|anc|enc|ancy|ency|able|ible|abl|ibl|iv|ship|ity|ion"
    r"|ist|ive|ous|ary|ory"
    r"|eer|ant|ent|al"
    r"|er|or|ar|ic|ful|y)$"
)
_DOER = lazy(r"(?<=\w{3})(?:er|or|ition|ation|ion|ing)$")
_SHORTEST_ROOT = 4
_KEPT = 16384


def _concepts() -> dict[str, str]:
    found: dict[str, str] = {}
    for group in _ALIKE.split("|"):
        first, *_ = stems = [stem(word) for word in group.split()]
        name = found.get(first, first)
        for each in stems:
            found.setdefault(each, name)
    return found


_CONCEPTS = _concepts()


@lru_cache(maxsize=_KEPT)
def concept(word: str) -> str:
    """Return the representative stem of a group of synonyms, or the stem itself."""
    return _CONCEPTS.get(word) or _CONCEPTS.get(_DOER.sub("", word), word)


def is_derived(word: str) -> bool:
    """Whether a stem is in the table only without its ending: `freezer`, by `freeze`."""
    return word not in _CONCEPTS and concept(word) != word


@lru_cache(maxsize=_KEPT)
def root(word: str) -> str:
    """Return a stem without derivational endings: the same for `inventor` and `invention`."""
    short = _SUFFIXES.sub("", word)
    if word.endswith("er") and short[-2:-1] == short[-1:]:
        short = short[:-1]  # thinner
    if short.endswith("ll") and len(short) > _SHORTEST_ROOT + 1:
        short = short[:-1]  # cancelled
    return short if len(short) >= _SHORTEST_ROOT else word


@lru_cache(maxsize=_KEPT)
def akin(one: str, other: str) -> bool:
    """Whether two stems are synonyms or forms of the same word."""
    if one == other:
        return True
    first, second = concept(one), concept(other)
    return first == second or (root(first) == root(second) and not first[:1].isdigit())
