"""English."""

from .wording import Wording

ENGLISH = Wording(
    lead=(
        r"please|pls|plz|kindly|hey|hi|hello|ok|okay|alright|right|so|and|but|also|well|oh|btw|by the way"
        r"|one more thing|listen|look|actually|just(?= (?:(?:never|always|don't|do not)|\w+ (?:it|me|your|the))\b)|then"
        r"|yes|no,|thanks|thank you|in that case|remember(?: to)?"
        r"|remember that|note that|make sure(?: to| that you| you)?|be sure to|try to|let's|let us|do(?! not)"
    ),
    ask=(
        r"would you mind|(?:can|could|will|would) you(?: please| kindly)?|i(?:'d| would) appreciate it if you(?: could"
        r"| would)?"
    ),
    want=(
        r"i(?:'d| would|'m)? ?(?:want|like|need|prefer|expect|ask|asking|rather|beg)(?: for| that)? you(?: to)?"
        r"|(?:i'd|i would|it'd be|it would be) (?:be (?:glad|grateful|happy)|love it|great|nice|good|helpful|lovely) if you"
        r"(?: could| would)?"
        r"|you(?: really)? (?:should|must|have to|need to|are to|shall|will|may)"
    ),
    verb=(
        r"answer|reply|respond|write|speak|talk|chat|call|phone|ring|text|message|contact|e?mail|wake|address|greet"
        r"|use|keep (?:your|every|each|all|it|the answers?|answers?|replies|responses|explanations|things|everything)|explain"
        r"|give(?! (?:up|in|away|back|it (?:up|a|away|back)|birth|blood)\b)|show|include|add|append|put|start|begin|end"
        r"|finish|close|sign|format"
        r"|convert|summari[sz]e|mention"
        r"|ask|remind|tell me|say(?! never| goodbye| die)|repeat|apologi[sz]e|translate|cite|quote|list|suggest"
        r"|recommend|propose|offer|book|schedule|plan|check|confirm|verify|round|spell|refer to|bring up|discuss|send"
        r"|share|make (?:your|the|all|every)|assume|treat|avoid|skip|leave out|omit|shorten|limit|stick to|switch to"
        r"|be (?!careful|yourself|happy|brave|kind to)|interrupt|bother|disturb|notify|ping|joke|guess|invent|lecture"
        r"|go into|provide|express|measure|count|attach|link|number|highlight|type|print|describe|compare|return"
        r"|output|stay|continue|calculate|record|store|save|share|read|correct|flirt|swear|curse|judge|order"
        r"|open|conclude|preface|prefix|point out|flag|warn|note"
    ),
    early=r"always|never|never ever|only ever|only",
    phrase=(
        r"from now on|from now on(?:wards?)|from here on(?: out| in)?|from this point(?: on| forward)?"
        r"|from today(?: on)?|in (?:the )?future|going forward|moving forward|henceforth|by default|every time"
        r"|each time|at all times|until further notice|as a (?:general )?rule|without exception|no matter what|(?:in"
        r"|for|to|with) (?:all|every|each|any)(?: of)?(?: my| your| the)?(?: future)? (?:answers?|repl(?:y|ies)"
        r"|responses?|messages?|conversations?|chats?|questions?|explanations?)"
    ),
    whenever=r"whenever|every time|each time|any time|anytime|all the time when",
    when=r"when|if|in case|once",
    never=r"don't(?: you)?(?: ever)?|do not(?: ever)?|dont|never(?: ever)?|no longer",
    stop=(
        r"(?:stop|quit|cease) (?!it\b|that\b|now\b|there\b|the music|playing|working)\w+ing\b|no more \w+"
        r"|enough (?:with|of) (?:the|your)|not using|refrain from|drop the|cut (?:out )?the|spare me(?: the)?"
        r"|i(?:'d| would) (?:rather|prefer(?: it)?)(?: that| if)? you (?:didn't|did not|don't)(?= (?:ever )?(?:use|mention|call"
        r"|write|send|bring|suggest|talk|ask|say|remind|repeat|include|add|speak|discuss|refer|share|tell|show))"
    ),
    name=r"(?:you (?:can|may|should) )?(?:just |always )?(?:call|name) me|address me as|refer to me as",
    once=(
        r"this time|just (?:this )?once|this once|for once|today|tonight|tomorrow|this (?:question|one|message|answer"
        r"|text|sentence|email|mail|paragraph|article|week|month|morning|afternoon|evening|weekend|letter|word"
        r"|document|line)|right now|for now|for the moment|at the moment|for this|in this (?:case|answer)"
        r"|the following|below|(?<!used )(?:to|for|from) (?:him|her|them|john|the client|the customer|my (?:boss|mom|mum|dad"
        r"|mother|father|sister|brother|friend|landlord|teacher|colleague|wife|husband|client|team))|next time|now$"
        r"|instead$|first$|briefly$|yet$|until (?:i|he|she|we|the|tomorrow|monday|tuesday|wednesday|thursday|friday)"
    ),
    report=(
        r"says|said(?! i)|tells|told (?:me|us|him|her|them|everyone)|wrote|writes|yells?|yelled|shouts?|shouted"
        r"|insists?|insisted|claims?|claimed|reads|recommends|recommended|advises|advised|warned|warns|(?:famous|old"
        r"|this|his|her) quote|(?<!with a )(?:motto|saying|proverb)|lyrics|according to|used to say|goes like|taught (?:me|us)"
    ),
    intro=(
        r"(?:new |my |an? |one |another |house |general |important )*(?:rules?|instructions?|preferences?|requests?|notes?"
        r"|things?|(?:two|three|a few|some) (?:things|rules|requests)|reminder|wish)(?: for you)?|remember(?: this)?"
        r"|please(?: note| remember)?|note|important|fyi|from now on|in (?:the )?future|going forward|also|ps|p\.s"
        r"|for the future"
    ),
)
