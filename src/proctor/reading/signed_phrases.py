"""Phrases that are replaced by a single marker word before the sign of a clause is determined."""

from __future__ import annotations

from proctor.reading.text.lazy import lazy

_AFFIRMING = (
    r"not (?:only|just|merely|simply)|no (?:doubt|question|wonder|matter|exception|exceptions|sooner)|can't wait|why"
    r" not|without (?:a )?(?:doubt|fail|question|any problem|issue|exception|problem)s?|next to nothing|not to"
    r" mention|if not|whether or not|or not|more often than not|nothing (?:speaks|to stop|wrong|prevents|stops"
    r"|against)|no (?:objection|harm|obstacle|barrier|fear|hurdle|drawback)s?|no (?:such )?(?:ban|rule|limit|law)s?"
    r"(?: \w+)? (?:against|to|on)|no such (?:ban|rule|limit|law)s?|(?:could|can)(?:n't| not|not| seldom) (?:have been"
    r" |be )?(?:more|\w+er)|go (?:for it|ahead)|feel free|by all means|in luck|you bet|wave[ds]? (?:it )?through|carr"
    r"(?:y|ies|ied) on|as usual|(?:be|is|are|was|'s|'re|perfectly|totally|absolutely|just) fine(?! of)|beyond doubt"
    r"|not a problem|no reason not to|no (?:way|getting) (?:a)?round|(?:can't|won't|cannot|will not) (?:get "
    r"(?:a)?round|(?:be )?avoid(?:ed)?|escape)|no (?:small|mean|little)|(?:does|do|did) so|can't (?:go wrong|complain"
    r"|fault)|at no (?:extra )?(?:cost|charge)|last but not least|none other than|no less than|no fewer than|not"
    r" until|(?:nobody|no one|doesn't|don't|won't) minds?|nothing (?:stands|speaks) (?:in the way|against)|no "
    r"(?:longer )?(?:any )?doubt|(?:not|\w+n't) (?:limited|restricted|confined) to|(?:not|\w+n't) (?:just|only"
    r"|merely) (?:for|on|in|about|with)|can't miss|no shortage of|no (?:less|exception)|plenty of people do|no match"
    r" for|(?:anyone|anybody|everyone|everybody) (?:can|may|is welcome|is allowed|is free|gets)|never (?:closes|stops"
    r"|ends|sleeps|shuts)|not without"
)
_DENYING = (
    r"far from|anything but|no longer|(?:turn|turned|turns|turning) (?:it |them |this |that )?(?:down|away)|(?:free"
    r"|devoid|void) (?:of|from)(?! charge)|out of (?:order|service|bounds|date|luck|print|reach|the question)"
    r"|off[ -]limits|(?:is|are|was|were|be|been|'s|'re|stay|stays)(?: always)? off|rul(?:e|es|ed) (?:it )?out|(?:stay"
    r"|stays|stayed|keep|keeps|kept|opt|opted|leave|left|miss) (?:\w+ )?out|(?:be|get|gets|is|are|was|were|been)"
    r" fined|(?:switch|switched|turn|turned|call|called) (?:it |them )?off|too (?:far|narrow|small|big|large|late"
    r"|early|little|few|weak|old|young|short|long|expensive|dangerous|cold|hot|slow|heavy|faint|dim|low|high|wide"
    r"|soft|hard)|(?:advise|advised|advice|warn|warned|recommend|speak|speaks|rule|rules|ruled|decide|decided|vote"
    r"|voted|law|policy)(?: \w+)? against|better not|rather not|wouldn't (?:recommend|advise)|at no (?:time|point)"
    r"|under no circumstances|in no way|by no means|on no account|few (?:if any|people)|very (?:few|little)|does"
    r" little|wait until|give[ns]? up(?! to\b)|gave up(?! to\b)|fall(?:s|en)? through|fell through|do(?:es)? without"
    r"|short of|ran? out|run out|dwarf|so-called|contrary to|wrong way round|leave (?:it|them|that|this) (?:at home"
    r"|behind|alone)|would that|if only|ha(?:s|ve) yet to|yet to be|fall(?:s|ing)? outside|fell outside|beyond "
    r"(?:repair|the scope)|phas(?:ed|ing) out|day off|no (?:such|way|chance|room|question of|exceptions?)|next to"
    r" nothing|discontinued|on (?:hold|ice)|in vain|a thing of the past|taken off (?:the market|sale)|(?:steer|stay)"
    r" clear|belongs? in the past|(?:does?|did|done|doing) away with|got rid of|(?:is|are|was|were) barred|against"
    r" the (?:law|rules)|(?:i|we) wish|wrong to (?:call|say|claim|think|believe|assume)|(?:keep|keeps|kept|stay|stays"
    r"|stayed|steer)(?: \w+){0,4}? (?:away|clear|off)(?: from| of)?"
)
_PHRASE = lazy(rf"\b(?:(?P<yes>{_AFFIRMING})|(?P<no>{_DENYING}))\b")
AFFIRMED, DENIED = "yesword", "noword"
"""Markers for affirming and for denying phrases."""
ONLY, EXCEPT, NEEDLESS = "onlyword", "exceptword", "needlessword"
"""Markers for restrictions, for exceptions, and for what is not needed."""
BOUNDLESS = "boundlessword"
"""Marker for the `no` of `no limit`, which denies only a limit."""
ENOUGH = "enoughword"
"""Marker for `will do`, `suffices`, `is enough`."""
CHOICE = "choiceword"
"""Marker for `as often as you like`: means no for a question about a limit or a duty."""
UNMOVED = "unmovedword"
"""Marker for `doesn't matter`: means no only for a question whether it matters."""
REASSURED = "worryword"
"""Marker for `no worries`: courtesy that may accompany either answer."""
_MONEY = r"(?:[€$£] ?{0}|{0} ?(?:€|euros?\b|dollars?\b|pounds?\b|usd\b|eur\b|gbp\b))"
_NEEDED = r"(?:needed|required|necessary|obliged|mandatory|compulsory|obligatory)"
_SAME_WORD = (
    (
        lazy(
            r"\b(?:the|its|our|your) (?:only|one) (?:\w+ )?(?:restriction|difference|exception|condition|drawback"
            r"|catch|limit"
            r"|downside|snag|caveat|requirement|thing)s?(?: \w+){0,3}? (?:is|are|was|were|being|would be)\b"
        ),
        " though if ",
    ),
    (lazy(r"\b(?:it|that|this|he|she)(?:'s| is| was)(?: \w+ly)? the only\b"), "it is the"),
    (
        lazy(
            r"\b(?:not|\w+n't) (?:limited|restricted|confined|tied|bound) to\b|\bno (?:questions asked|strings"
            r" attached|fuss|hassle)\b"
        ),
        f" {AFFIRMED} ",
    ),
    (
        lazy(
            r"\b(?:never|hardly (?:a|any)|nothing|nobody|couldn't|no (?:\w+ ){1,4})(?: \w+){0,3}? "
            r"(?:better|(?:clean|saf|easi|cheap|fast|bigg|larg|low|high|strong|healthi|simpl|clos|happi|quick|fresh"
            r"|long|old|clear)er)\b(?! than)"
        ),
        f" {AFFIRMED} ",
    ),
    (lazy(r"\b(?:(?:i|we)(?:'m| am|'re| are)? (?:\w+ )?)?sorry (?:about|to (?:hear|learn)|for|that you)\b"), " about "),
    (
        lazy(
            r"\b(?:as (?:long|often|much|many|late|early|little|few)(?: \w+)?|whenever|wherever|whatever|however \w+)"
            r"(?: as)? (?:you|they|we|he|she|one|i) (?:please|like|likes|want|wants|wish|wishes|choose|need|feel)\b"
        ),
        f" {CHOICE} ",
    ),
    (
        lazy(
            r"\b(?:(?:doesn't|does not|don't|do not|won't|will not|didn't) (?:affect|matter|change (?:that|this|it"
            r"|anything)|influence|make (?:any|a) difference)|(?:makes?|made) no difference|(?:hasn't|haven't|has not"
            r"|have not|nothing has|nothing's) changed|no matter (?=\w)|regardless of|irrespective of)\b"
        ),
        f" {UNMOVED} ",
    ),
    (
        lazy(
            r"\b(?:only|just) (?=(?:lead|mean|cost|take|result)s?\b|slower|faster|later|earlier|a (?:bit|little"
            r"|warning)\b)"
        ),
        "",
    ),
    (lazy(r"\b(must|to|should|needn't|not|please) fast\b|\bfasting\b"), r"\1 abstain"),
    (
        lazy(
            r"\b(?:no (?:worries|problem|trouble)|not a problem|(?:do not|don't|no need to|needn't|nothing to|not to)"
            r" (?:worry|panic)|never fear|rest assured)\b(?: at all| about)?"
        ),
        f" {REASSURED} ",
    ),
    (
        lazy(
            r"\b(?:won't|will not|wouldn't) (?:do|suffice)(?=\W*$|\W*[.;,!])|\b(?:isn't|aren't|not) (?:enough"
            r"|sufficient)\b"
        ),
        f" not {ENOUGH} ",
    ),
    (
        lazy(r"\b(?:will|would|'ll) do(?=\W*$|\W*[.;,!])|\bsuffices?\b|\b(?:is|are|'s) (?:enough|plenty|sufficient)\b"),
        f" {ENOUGH} ",
    ),
    (
        lazy(r"\b(?:come|comes|came) with\b|\bin the (?:box|package|price)\b|\bpart of the (?:price|package)\b"),
        " include ",
    ),
    (lazy(r"\b(?:sold out|out of stock|fully booked)\b"), f" {DENIED} available "),
    (
        lazy(r"\bin stock\b|\b(?:[1-9]\d*|a few|some|several|plenty|many)(?: \w+)? (?:left|remaining)\b"),
        " available ",
    ),
    (lazy(r"\b(?:day (?:and|or) night|night (?:and|or) day|(?:a)?round the clock)\b"), " always "),
    (lazy(r"\b(?:hardly|barely|scarcely|rarely)\b"), "seldom"),  # their stems are those of hard, bare and rare
    (lazy(r"\b(i|you|we|they|he|she|it)'ll\b"), r"\1 will"),
    (lazy(r"\bnot(?:ed|ing)\b"), "mention"),
    (lazy(r"\b(?:very |quite |so )?close(?:r)? (?=to\b|by\b|at hand\b)"), "near "),
    (lazy(r"\blos (?=\w)"), ""),
    (lazy(r"\bfines\b|\ba fine (?=of\b|for\b)"), "penalty "),
    (
        lazy(r"\bno (?:\w+ )?((?:limit|minimum|maximum|deadline|requirement|restriction|age limit)s?)\b"),
        rf" {BOUNDLESS} \1 ",
    ),
    (lazy(r"(?<!be )\bended\b"), "stopped"),
    (lazy(r"\bbring(?:ing)? (?:your|their|one's) own\b"), " bringown "),
    (lazy(r"\b(?:go|goes|gone|went|going) up\b|\b(?:is|are|was|were|been) up (?=\d|by\b|from\b|on\b)"), " rise "),
    (
        lazy(r"\b(?:go|goes|gone|went|going) down\b|\b(?:is|are|was|were|been) down (?=\d|by\b|from\b|on\b)"),
        " fall ",
    ),
    (lazy(r"\bpass(?:ed|es)? away\b"), " die "),
    (lazy(r"\b(?:last|next|first|final|full) stop\b"), " station "),
    (lazy(r"\bdrop(?:s|ped)?(?: it| them| us \w+ \w+)? (?:off|by|in|round)\b"), " bring "),
    (
        lazy(
            r"\b(?:at|for|on|out of) (?:[\w']+ )?(?:[\w']+'s|your|their|his|her|my|our|one's|own)(?: own)?"
            r" (?:expense|cost|account|pocket)\b"
        ),
        " selfpaid ",
    ),
    (
        lazy(
            r"\b(?:put|push|mov|hold|held)(?:ed|s|ing)? (?:it |them |this |that )?(?:off|back)(?= until| till| to|"
            r" by|\W*$)|\bon hold\b|\bin (?:progress|transit)\b|\bon (?:its|their|the) way\b"
            r"|\b(?:working|work) on (?:it|that|this)\b|\bin the (?:works|pipeline|queue)\b|\b(?:to be|being)"
            r" (?:confirmed|announced|decided|reviewed|processed|checked)\b"
        ),
        " pending ",
    ),
    (
        lazy(
            r"\b(?:hand|pass|sign)(?:ed|s)? (?:it |that |this |everything |\w+ )?over to\b|\btook over\b|\btaken"
            r" over\b|\bstepped (?:down|aside)\b|\b(?:has|have|had|'s|'ve) (?:since )?(?:left|moved on|gone)\b"
            r"|\bmoved on\b|\bswitched (?:over )?to\b|\bsuperseded\b|\bmade way\b|\bgave way\b|\bin favou?r of\b"
            r"|\bgone for good\b|\bfor good\b|\bbeen filled\b|\bgoes to\b(?= (?!the (?:same|account)))"
        ),
        " formerly ",
    ),
    (
        lazy(
            r"\b(?:sold|billed|charged|available|ordered|bought|priced|invoiced|paid) (?:separately|individually|on"
            r" top|extra|apart)\b|\b(?:optional|paid|chargeable) extras?\b"
            r"|\b(?:billed|charged) (?:by|per|at)\b|\b(?:for|at) (?:an? )?(?:extra|additional|small|further)"
            r" (?:charge|fee|cost|payment)\b|\b(?:carries|carry|incurs?|attracts?) (?:a|an) (?:\w+ )?(?:charge|fee)\b"
        ),
        " extra charge ",
    ),
    (
        lazy(
            r"\b(?:on the house|on us|our treat|picks? up the (?:bill|tab|cost)|(?:thrown|included) in|no strings"
            r" attached|part of (?:the|your) (?:price|package|plan|rate|fare|fee|ticket|deal))\b"
        ),
        " include ",
    ),
    (lazy(r"\bon (?:schedule|time|track)\b|\bas (?:planned|scheduled)\b|\bpunctual(?:ly)?\b"), " ontime "),
    (
        lazy(
            r"\b(?:all|every \w+(?: is| are| has been)?|everything(?: is|'s)?) (?:taken|gone|booked|full)\b"
            r"|\bwait(?:ing )?list\b"
        ),
        f" {DENIED} available ",
    ),
    (
        lazy(r"\badd-ons?\b|\b(?:come|comes|go|goes|is|are) on top\b|\b(?:will be|is|are|gets?) added\b"),
        " extra ",
    ),
    (
        lazy(r",? ?\bcontrary to (?:what [^,.;]*|(?:the )?\w+(?: \w+)?)(?=[,.;!]|$),?"),
        " ",
    ),
    (lazy(r"\b(?:pull|back)(?:ed|s|ing)? out\b"), " withdraw "),
    (lazy(r"\bno ifs\b\W*(?:and |or |no )*buts?\b"), f" {AFFIRMED} "),
    (lazy(r"\bno (\w+),? no \w+"), r" must \1 "),
    (
        lazy(
            r"(?:^|\b)(?:its |entirely |completely )?(?:up to|left to) (?:you|them|him|her|us|me|everyone|each|the"
            r" \w+)\b|\bopt-in\b|\bat (?:your|their|his|her|its|the \w+'s) (?:own )?discretion\b|\b(?:your|their) "
            r"(?:own )?(?:choice|call|decision)\b"
        ),
        " optional ",
    ),
    (lazy(r"\b(?:is|are|be|being|'re|'s) (?:provided|supplied|laid on)\b"), " supplied "),
    (lazy(r"\b(?:isn't|aren't|not|never) (?:provided|supplied|laid on)\b"), " not supplied "),
    (lazy(_MONEY.format(r"(?<![\d.,])0+(?:[.,]0+)?(?![\d.,]*[1-9])")), " free "),
    (
        lazy(
            r"\b(?:rather than|instead of|in place of|in lieu of) (?:being paid|(?:an? |any )?(?:extra |overtime )?"
            r"(?:money|pay|payments?|cash|wages?|salary|remuneration))\b"
        ),
        " not paid ",
    ),
    (
        lazy(
            r"\b(?P<met>cover(?:s|ed|age)?|insured?|includ(?:es|ed)|reimburse[ds]?|refund(?:s|ed)?|repaid"
            r"|paid(?: for)?|pays?|fund(?:s|ed)?|grant(?:s|ed)?|subsidi[sz]e[ds]?|compensate[ds]?|get|receive"
            r"|claim|back) "
            r"(?:up to|(?:to|with|for) an? (?:maximum|limit|cap|ceiling) of|for up to|at most|as much as) "
            + _MONEY.format(r"\d+(?:[.,]\d+)*")
        ),
        r" \g<met> ",
    ),
    (lazy(_MONEY.format(r"\d+(?:[.,]\d+)*")), " charge "),
    (
        lazy(
            r"\bnothing (?:else |more |further )?(?:(?:that )?(?:you|we|one)(?:'ll| will)? (?:need|have) to (?:do|\w+)"
            r"|to (?:do|configure|set up|install|worry about|fill in)|needed|required)\b"
            r"|\bno need\b(?: to\b| for\b)?|\bneedn't\b|\b(?:don't|doesn't|didn't|won't|not|never|no longer) "
            rf"(?:\w+ly )?(?:need(?: to)?\b|have to\b|{_NEEDED}\b(?: to\b)?)"
        ),
        f" {NEEDLESS} ",
    ),
    (lazy(rf"\bno ((?:\w+ ){{1,4}}?)(?:is |are |was |were )?{_NEEDED}\b"), rf" {NEEDLESS} \1"),
    (
        lazy(
            r"\b(?:is|are|'s) all (?:you|we|they|it|there|i)\b|\b(?:nothing|nobody|no one|none|no \w+) (?:but|except"
            r"(?: for)?|other than|apart from|besides)\b|\b(?:reserved|exclusively|solely|meant only) for\b|\b"
            r"(?:limit|restrict|confine)(?:s|ed)?(?: \w+){0,3} to\b|\binstead\b(?! of)|(?<!leave )(?<!it )(?<!them )"
            r"(?<!him )(?<!her )\balone\b"
        ),
        f" {ONLY} ",
    ),
    (
        lazy(
            r"\bexcept(?:ing)?(?: for)?\b|\b(?:apart|aside) from\b|\bwith the exception of\b|\bsave for\b|\bother"
            r" than\b|\binstead of\b|\brather than\b|\bas opposed to\b|\bin (?:place|lieu) of\b|(?<=everything )but\b"
            r"|(?<=everyone )but\b|(?<=everybody )but\b|(?<=all )but\b|(?<=anyone )but\b"
        ),
        f" {EXCEPT} ",
    ),
    (lazy(r"\b(?:have|has|had|need|needs|got|obliged|required) to\b"), " must "),
    (
        lazy(
            r"\bfree of (?:charge|cost)\b|\bno (?:charge|fee|cost)\b|\bnothing to pay\b|\b(?:costs?|pays?) nothing\b"
            r"|\bwithout (?:charge|paying)\b"
        ),
        " free ",
    ),
    (
        lazy(
            r"\bmore than (?:once|one)\b|\b(?:multiple|several|many|unlimited) (?:times|uses?)\b|\breusable\b"
            r"|\brepeatedly\b"
        ),
        " multipleuse ",
    ),
    (
        lazy(
            r"\bsingle[- ]use\b|\bone (?:use|time only)\b|\b(?:only|just) (?:once|one)\b|\bone-time\b|\bdisposable\b"
            r"|\bonce only\b"
        ),
        " singleuse ",
    ),
    (
        lazy(
            r"\b(\w+)-free\b|\b(sugar|dairy|gluten|lactose|milk|meat|nut|fat|alcohol|caffeine|smoke|lead|plastic"
            r"|cruelty|carbon|pain|error|bug|risk|duty|tax|toll|rent|interest|ad|advert) free\b(?! to\b| of\b)"
        ),
        lambda match: f" noword {match[1] or match[2]} ",
    ),
    (lazy(r"\bjust as \w+|\bequally\b|\bas (?!long|soon|far|well|much)\w+ as\b"), " same "),
    (lazy(r"\bswitch(?:ed|es)? (?:it |them )?off\b|\bturn(?:ed|s)? (?:it |them )?off\b"), " stop "),
    (lazy(r"\bhalf (?:full|empty)\b"), " partly "),
    (lazy(r"\bno \w+er than\b|\bno more than\b"), " most "),
)


def marked_phrases(folded: str) -> str:
    """Replace such phrases in a normalised text by their markers."""
    for pattern, word in _SAME_WORD:
        folded = pattern.sub(word, folded)
    return _PHRASE.sub(lambda match: f" {AFFIRMED} " if match["yes"] else f" {DENIED} ", folded)
