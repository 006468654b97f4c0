"""The type of answer a question asks for, and what is of that type."""

from __future__ import annotations

import pytest

from vidence.language.question import AnswerType, read_question, suits


@pytest.mark.parametrize(
    ("question", "asked", "head"),
    [
        ("Which browser is open?", "name", "browser"),
        ("What is his job?", "job", "job"),
        ("What date is shown?", "date", "date"),
        ("How much money does she earn?", "money", "money"),
        ("说明上写着要等几秒？", "duration", ""),
        ("按钮需要按住多少秒？", "duration", ""),
        ("他在第几秒按下按钮？", "time", ""),
        ("视频几秒时出现标题？", "time", ""),
        ("How much is the larger one?", "money", ""),
        ("How much does a ticket cost?", "money", ""),
        ("How much is it raining?", "number", ""),
        ("How many chairs stand there?", "number", "chair"),
        ("How old is he?", "number", ""),
        ("How long is the video?", "duration", ""),
        ("When does the branch break?", "time", ""),
        ("What colour is the door?", "colour", "colour"),
        ("Is there a dog?", "yes_no", ""),
        ("Who is she?", "person", ""),
        ("Where are they?", "place", ""),
        ("Why does he run?", "reason", ""),
        ("What is the guy doing?", "action", ""),
        ("What is she holding?", "thing", ""),
        ("What does the sign say?", "text", ""),
        ("What mainly fills the tank, sand or rock?", "choice", ""),
        ("What language is spoken?", "language", "language"),
        ("Give me the highlights.", "summary", ""),
        ("What is going on in this clip?", "summary", ""),
        ("What is the plot?", "summary", ""),
        ("Anything funny or unusual here?", "summary", ""),
        ("What is the report about?", "summary", ""),
        ("这篇报道讲了什么？", "summary", ""),
        ("What does she recommend?", "utterance", ""),
        ("她推荐了什么？", "utterance", ""),
        ("In which sequence are they shown?", "order", ""),
        ("这个短片讲了什么？", "summary", ""),
        ("这部电影的内容是什么？", "summary", ""),
        ("视频最后说了什么？", "utterance", ""),
        ("影片中的女人说了什么？", "utterance", ""),
        ("When was this recorded?", "date", ""),
        ("What time was it filmed?", "date", "time"),
        ("When does the film open in cinemas?", "date", ""),
        ("When does the door open?", "time", ""),
        ("What day is it?", "date", "day"),
        ("这段录像是哪天拍的？", "date", "天"),
        ("他什么时候拍的手？", "time", ""),
        ("显示器的分辨率是多少？", "thing", ""),
        ("桌上有多少瓶子？", "number", "瓶子"),
        ("瓶子的数量是多少？", "number", "数量"),
        ("右上角显示的用户名是什么？", "name", "用户名"),
        ("What does copyright protect against?", "thing", ""),
        ("Anything unusual?", "summary", ""),
        ("他叫什么名字？", "name", "名字"),
        ("这是什么地方？", "place", "地方"),
        ("他赚了多少钱？", "money", "钱"),
        ("有几把椅子？", "number", "椅子"),
        ("桌上有几枚徽章？", "number", "徽章"),
        ("路边有几栋房子？", "number", "房子"),
        ("为什么墙要涂成这样？", "reason", ""),
        ("门是什么颜色？", "colour", "颜色"),
        ("视频主要讲什么？", "summary", ""),
        ("What happens at the end?", "summary", ""),
        ("What happens to the dog at the end?", "action", ""),
        ("结尾发生了什么？", "summary", ""),
        ("How is the weather?", "weather", "weather"),
        ("What time of day is it?", "daytime", "time"),
    ],
)
def test_a_question_asks_for_a_type(question: str, asked: str, head: str) -> None:
    expected = read_question(question).expected
    assert expected.type == asked
    assert not head or expected.head == head


@pytest.mark.parametrize(
    ("question", "fits", "fails"),
    [
        ("What is his job?", "Teacher", "A chair"),
        ("Where are they?", "In an office.", "A chair (seen at 3.0 s)."),
        ("Where are they?", "Kitchen", "A bottle"),
        ("他们在哪里？", "厨房", "瓶子"),
        ("Give me the highlights.", "A man talks about Intel.", "A chair."),
        ("How many dogs are there?", "Two dogs", "Brown"),
        ("What colour is the door?", "Dark green", "A door"),
        ("Is there a dog?", "No dog was seen.", "A person"),
        ("Who is she?", "A woman with a hat", "A car"),
        ("What date is shown?", "5 March 2022", "Monday"),
        ("Which side of the screen does the hand come from?", "From the left.", "An apple"),
        ("Which edge does the car leave by?", "The bottom one", "Yes"),
        ("刷子是从哪一侧伸进来的？", "右边", "刷子"),
        ("手从哪边出现？", "左侧", "是"),
        ("Which way does the boat go?", "To the left", "A boat"),
        ("What language is spoken?", "Russian", "A man speaks"),
        ("What is the cat doing?", "Sleeping", "Here is the cat again."),
        ("这是什么地方？", "办公室", "椅子"),
        ("有几把椅子？", "两把", "椅子"),
    ],
)
def test_an_answer_is_of_the_type_or_not(question: str, fits: str, fails: str) -> None:
    expected = read_question(question).expected
    assert expected.fits(fits)
    assert not expected.fits(fails)
    assert not expected.fits(" ")


@pytest.mark.parametrize(
    ("answer", "asked", "is_given"),
    [
        ("kitchen", "place", True),
        ("brushing teeth", "place", False),
        ("brushing teeth", "action", True),
        ("sunny", "weather", True),
        ("sunny", "material", False),
        ("brushing teeth", "yes_no", True),
        ("a word of nobody", "place", True),
    ],
)
def test_people_give_an_answer_to_questions_of_a_type_or_not(
    answer: str, asked: AnswerType, is_given: bool
) -> None:
    assert suits(answer, asked) == is_given


@pytest.mark.parametrize(
    "question", ["What is that?", "Summarize.", "介绍一下这个视频", "Who?", "a dog?", "有狗吗"]
)
def test_what_people_ask_can_be_read(question: str) -> None:
    assert read_question(question).is_readable


@pytest.mark.parametrize(
    ("question", "is_side"),
    [
        ("On which side is the lamp?", True),
        ("狗在画面的哪一边？", True),
        ("Which side is winning?", False),
        ("哪边赢了？", False),
        ("Which side dish is served?", False),
        ("Which cup is full?", False),
    ],
)
def test_a_side_is_told_from_other_choices(question: str, is_side: bool) -> None:
    assert read_question(question).expected.is_side == is_side


@pytest.mark.parametrize("question", ["asdf qwer zxcv", "???", "jkl;", "123 456", "饕餮魑魅"])
def test_random_letters_cannot(question: str) -> None:
    assert not read_question(question).is_readable
