"""Which kind of question it is, by the words that ask."""

from __future__ import annotations

import re

from vidence.agents.embedded.question.form import Kind

__all__ = ["find_kind", "is_count", "is_duration", "is_when"]

_BE = r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|might|may)"
_TEXTUAL = (
    r"(?:sign|title|caption|subtitle|text|banner|poster|logo|label|screen|board|plate|shirt|paper|card|letter|"
    r"headline|credit|watermark|book cover|slide|t-shirt|jersey|billboard|inscription)s?"
)
_CUT = (
    r"\b(?:hard |camera |jump |scene |shot )?cuts\b|\b(?:the|a|any|hard|first|last|second|next) (?:hard )?cut\b"
    r"|\bcuts? (?:to|from|away|over|between|back)\b|\b(?:scene|shot) (?:change|transition|break|boundar)\w*"
    r"|\bcamera shots\b|\b(?:number of|many) (?:different )?(?:shots|scenes)\b|\bfade\w* (?:to|from|in|out)\b"
    r"|硬切|镜头切换|切换|剪切|转场|多少个?镜头|几个?镜头|切[到至]黑|切到|场景变化"
)
_WHEN = (
    rf"\b(?:at|in|on|by|from|around) (?:about |roughly )?(?:what|which) (?:time|second|moment|point|timestamp|minute)"
    rf"|\b(?:what|which) (?:is the )?(?:time(?! of (?:day|year)|s\b)|second|moment|timestamp) (?:{_BE}|when|at|in|of)"
    rf"|^\W*(?:and |so |roughly |approximately |about )?when\b|,\s*when {_BE}\b"
    r"|\b(?:give|name|find|tell|state|report|provide|pick|mark|say)\b[^?]{0,20}?\b(?:a|the|one|any|exact|some) "
    r"(?:approximate )?(?:time|moment|timestamp|second|point)\b|\bhow (?:many seconds|far|long) (?:into|in|until|till|"
    r"before|after|does it take)\b|\btime ?(?:stamp|code)\b|\bhow soon\b|\b(?:at|by) when\b"
    r"|什么时候|何时|第?几秒|哪一?秒|什么时间|哪个时间|时间点|时刻|多久(?:之后|以后)|几分几秒|哪一刻|哪个时刻|多少秒"
)
_DURATION = (
    r"\bhow long\b|\bfor how (?:long|many seconds)\b|\bhow many seconds\b|\bduration\b|多久|多长时间|持续"
)
_COUNT = (
    r"\bhow many\b|\bnumber of\b|\bcount (?:the|how|all|up|of|every|each)\b|^\W*count\b|\bhow often\b|\bhow much\b"
    r"|\bwhat (?:is the )?(?:total|count|headcount)\b"
    r"|几[个只辆位名条件瓶杯架张把本匹头艘台部棵朵双块颗座群对支根次回种人]|多少|数一数|数数|数量|有几|总数|人数"
)
_ORDER = (
    r"\b(?:before|after|earlier|later|sooner) or (?:before|after|earlier|later)\b"
    r"|\b(?:which|what|who)\b.*\b(?:first|last|earlier|earliest|latest|later)\b\s*[:,\-–].*\bor\b"
    r"|\b(?:which|what) (?:\w+ ){0,3}(?:comes?|happens?|appears?|occurs?|is shown|is seen|starts?|was shown) "
    r"(?:first|last|earlier|later)\b.*\bor\b"
    r"|\b(?:put|list|arrange|sort|order|rank|place)\b.*\border\b|\bin (?:what|which) order\b|\border of (?:events|appearance)"
    r"|\b(?:correct|right|chronological|temporal) (?:order|sequence)\b|\bwhat (?:is|was) the (?:order|sequence)\b"
    r"|^\W*(?:order|arrange|sort|sequence)\b.*:"
    r"|先后|顺序|排序|排列|之前还是|以前还是|之后还是|先还是后|早还是晚|(?:哪个|谁|哪一个|哪件事|什么)(?:更|最)?[先早].*[，,：:还]"
    r"|.*还是.*先(?:出现|发生|来|到|开始)|先(?:出现|发生)的是.*还是|按.*先后"
)
_YES_ORDER = (
    rf"^\W*{_BE}\b.*\b(?:before|after|earlier than|later than)\b (?!the (?:clip|video|film|end)|\d|(?:it|that|this)\W*$)"
    r"|.*(?:之前|之后|以前|以后).*(?:吗|是否)"
)

# The first row that fits decides.
_ROWS: tuple[tuple[Kind, str], ...] = (
    ("describe", r"\b(?:video|clip|film|footage|movie|recording) (?:is )?about\b|^\W*(?:please )?(?:describe|summari[sz]e)\b"
                 r"|\b(?:what|which) (?:can|do) (?:you|we|i) see\b|\bwhat does (?:the|this) (?:video|clip|film) (?:show|depict)"
                 r"|\bwhat is (?:shown|depicted|seen) in (?:the|this) (?:video|clip|film)\b|\btell me about (?:the|this) "
                 r"(?:video|clip)|\bwhat (?:is|are) (?:the )?main (?:content|topic|subject|event)"
                 r"|(?:视频|影片|片段).*(?:关于什么|讲的?是?什么|讲了什么|主要内容|内容是什么)|描述一?下?|总结|概括|概述"),
    ("camera", r"\bcamera(?:work|man)?\b.*\b(?:static|still|fixed|mov\w+|pan\w*|tilt\w*|zoom\w*|track\w*|handheld|hand-held|"
               r"stead\w+|shak\w+|stationary|motion|follow\w*|tripod)\b|\b(?:static|fixed|moving|handheld|hand-held|still) "
               r"(?:camera|shot)\b|\bhow (?:is|does) the camera\b"
               r"|(?:镜头|摄像机|相机|摄影机|摄像头|机位).*(?:静止|固定|移动|运动|推|拉|摇|晃|不动|在动|动吗|跟拍)"),
    ("said", r"\bcomplete (?:the|this|his|her) (?:phrase|sentence|quote|saying|words)\b|补全|接下来说"
             rf"|\bwhat {_BE}\b(?!.*\b{_TEXTUAL}\b.*\b(?:say|read)).*\b(?:says?|said|saying|mention\w*|talk\w* about|"
             r"speak\w* about|tell\w*|explain\w*|announce\w*|ask)\b"
             r"|\b(?:says?|said|mentions?|mentioned|talks?|reads? about|voice|speaker|narrator|spoken|utters?|tells?)\b.*"
             r"\b(?:which|what)\b(?!.*\bcolou?r)|\b(?:which|what) (?:\w+ )?(?:word|phrase|sentence|words|term|name|company|"
             r"book|topic|subject|number|adjective)\b.*\b(?:says?|said|spoken|mention\w*|uses? (?:to|when)|utter\w*|"
             r"speaker|narrator|talks?|voice|use to describe)\b"
             r"|\baccording to (?:the|his|her) (?:speaker|speech|narrat\w+|voice)\b"
             r"|说(?:了|的|过)?(?:些|是|出)?什么|说.*(?:哪个|什么)(?:词|话|字)|提到|讲到|谈到|讲了?些?什么|念的?是?(?:什么|哪)|(?:读|念|说)的.*(?:哪|什么)"),
    ("heard", r"\b(?:what|which)\b.*\b(?:sounds?|noises?|heard|hear|audible|music)\b|\bwhat (?:can|do) (?:you|we) hear\b"
              r"|听到.*(?:什么|哪)|(?:什么|哪种|哪一种|何种).*(?:声音?|音乐|响)|(?:什么|哪种).*听"),
    ("read", r"\b(?:which|what) (?:\w+ ){0,2}(?:words?|text|title|letters?|caption|brand|logo|headline|name|slogan|subtitle|"
             r"inscription|label|url|website|date|digits?)\b(?! of the (?:animal|bird|sport|game|object))"
             rf"|\b{_TEXTUAL}\b.*\b(?:says?|reads?|displays?|shows?)\b|\b(?:written|printed|spelled|spelt|inscribed)\b"
             r"|\baccording to the (?:[\w-]+ ){0,2}(?:text|caption|title|sign|subtitle|screen|credits?|banner|label)\b"
             r"|\bwhose (?:name|copyright)\b|\bcopyright\b|\bon-?screen (?:text|name)\b|\b(?:what|which) number is (?:on|written|"
             r"printed|shown)\b|\bwhat does it say\b|\bwhat does the (?:\w+ ){0,3}say\b|\bwhat (?:can be|is) read\b"
             r"|写(?:着|的|了)|文字|字幕|字样|标题|招牌|牌子|版权|店名|片名|商标|什么字|哪个词|哪些字|(?:屏幕|画面)上.*(?:名字|姓名)|谁的名字|根据.*(?:文字|字幕)"),
    ("colour", r"\b(?:what|which)\b(?:.* )?colou?rs?\b|\bcolou?rs? (?:is|are|of)\b|\b(?:name|give|tell)\b.*\bcolou?r|颜色|什么色|啥色"),
    ("why", r"\bwhy\b|\bhow come\b|\bfor what reason\b|\bwhat (?:causes?|caused|makes?|made|is the (?:reason|cause|purpose))\b"
            r"|\bwhat (?:for)\b|为什么|为何|为啥|什么原因|原因|目的是"),
    ("which", r"\((?:the )?(?:left|right|top|bottom|middle|centre|center|foreground|near|far)\b[^)]*\)|\b(?:which|what) side\b"
              r"|\b(?:left|right|middle|top|bottom|centre|center)(?:-hand)?(?: side| one)?,? or (?:on |at |in |to |the )*"
              r"(?:left|right|middle|top|bottom|centre|center|foreground|background)\b"
              r"|\bwhich (?:one )?of (?:the|them|these|those)\b|\bwhich one\b"
              r"|左.*还是.*右|右.*还是.*左|哪一?[边侧]|哪(?:一)?(?:个|只|辆|瓶|位|名|台)"),
    ("doing", rf"\bwhat (?:{_BE}|'s)\b.*\b(?:doing|going on|happening|happen(?:s|ed)?)\b|\bwhat happens\b|\bwhat happened\b"
              r"|\bwhat (?:do|does|did)\b (?:.* )?do\b|\b(?:what|which) (?:\w+ )?(?:action|activity|event|sport|game|gesture)\b"
              r"|^\W*how (?:do|does|did)\b|(?:做|干)什么|在?干嘛|干啥|发生了?什么|怎么了|什么(?:动作|活动|运动|事)|怎么样了|如何"),
    ("where", r"^\W*(?:and )?(?:from |to )?where\b|\bwhere (?:is|are|was|were|does|do|did)\b|\b(?:in|at|to) (?:which|what) (?:room|"
              r"place|location|city|country|kind of place|setting)\b|\bwhat (?:kind of )?(?:place|location|setting|environment)\b"
              r"|哪里|哪儿|什么地方|何处|地点|什么场所|在哪"),
    ("who", r"^\W*(?:and )?(?:who|whom|whose)\b|\bwho (?:is|are|was|were)\b|谁|哪位|什么人"),
    ("yes_no", r"^\W*(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|isn't|aren't|doesn't|don't)\b"
               r"|\bwhether\b|吗|是否|有没有|是不是|能不能|会不会|有无"),
    ("what", r"."),
)  # fmt: skip
_COMPILED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _ROWS)


def is_when(text: str) -> bool:
    """Whether a time is asked for."""
    return bool(re.search(_WHEN, text, re.IGNORECASE))


def is_count(text: str) -> bool:
    """Whether a number of things or times is asked for."""
    return bool(re.search(_COUNT, text, re.IGNORECASE))


def is_duration(text: str) -> bool:
    """Whether a length of time is asked for."""
    return bool(re.search(_DURATION, text, re.IGNORECASE))


def find_kind(text: str) -> Kind:
    """Return the kind of a question."""
    if re.search(_ORDER, text, re.IGNORECASE):
        return "order"
    timed, counted = is_when(text) or is_duration(text), is_count(text)
    if re.search(_CUT, text, re.IGNORECASE) and (timed or counted or _asks_existence(text)):
        return "cuts"
    if timed:
        return "when"
    if counted:
        return "count"
    kind = next(kind for kind, pattern in _COMPILED if pattern.search(text))
    if kind in ("yes_no", "what") and re.search(_YES_ORDER, text, re.IGNORECASE):
        return "order"
    return kind


def _asks_existence(text: str) -> bool:
    return bool(re.search(r"^\W*(?:is|are|does|do|has|have)\b|吗|有没有|是否", text, re.IGNORECASE))
