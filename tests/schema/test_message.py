"""Messages to a model: pictures know their format, usage adds up."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from vidence.errors import UserError
from vidence.schema.message import EncodedPicture, ImageFormat, Message, Usage


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\xff\xd8\xff\xe0 jpeg", "image/jpeg"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"RIFF\x00\x00\x00\x00WEBP", "image/webp"),
    ],
)
def test_a_picture_s_first_bytes_tell_its_format(data: bytes, kind: ImageFormat) -> None:
    picture = EncodedPicture.from_bytes(data)
    assert (picture.format, picture.data) == (kind, data)


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"\x00\x00\x00 ftypmp42", b"hello"])
def test_bytes_that_are_no_picture_are_refused_by_name(data: bytes) -> None:
    with pytest.raises(UserError, match=r"holiday\.gif is not a picture.*JPEG, PNG or WebP"):
        EncodedPicture.from_bytes(data, name="holiday.gif")


def test_a_picture_travels_through_json_unchanged() -> None:
    picture = EncodedPicture(data=bytes(range(256)), format="image/png")
    assert EncodedPicture.model_validate_json(picture.model_dump_json()) == picture
    assert "AAECAw" in picture.model_dump_json()


def test_an_unknown_role_is_refused() -> None:
    assert Message(role="user", text="几个人？").pictures == ()
    with pytest.raises(ValidationError):
        Message.model_validate({"role": "tool", "text": "x"})


def test_usage_adds_up() -> None:
    total = Usage(input_tokens=100, output_tokens=5) + Usage(input_tokens=20, output_tokens=7)
    assert total == Usage(input_tokens=120, output_tokens=12)
    assert total.total_tokens == 132
    assert Usage() + total == total


def test_a_price_that_is_not_known_makes_the_sum_unknown() -> None:
    priced = Usage(input_tokens=100, usd=0.25)
    assert (Usage() + priced + priced).usd == 0.5
    assert (priced + Usage(input_tokens=1)).usd is None
