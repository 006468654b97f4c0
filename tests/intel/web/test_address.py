"""Only public addresses are fetched."""

from __future__ import annotations

import pytest

from vidence.errors import ServiceError
from vidence.intel.web.address import AddressRules, checked_target


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://[::1]/",
        "http://10.0.0.5/",
        "http://192.168.1.1/admin",
        "http://172.16.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[fe80::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[fd00::1]/",
        "http://0.0.0.0/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://224.0.0.1/",
        "http://100.64.0.1/",
        "file:///etc/passwd",
        "ftp://example.org/",
        "gopher://example.org/",
        "http://user:secret@example.org/",
        "http://",
        "http://exa mple/",
        "javascript:alert(1)",
    ],
)
def test_what_is_not_public_is_refused(url: str) -> None:
    with pytest.raises(ServiceError):
        checked_target(url, AddressRules())


def test_a_public_address_leads_to_what_was_looked_up() -> None:
    target = checked_target("http://93.184.216.34:8080/a?b=c", AddressRules())
    assert (target.addresses, target.port, target.path) == (("93.184.216.34",), 8080, "/a?b=c")


def test_a_service_of_the_user_is_reached_by_its_exact_host_and_port_alone() -> None:
    rules = AddressRules(own_hosts=frozenset({"127.0.0.1:8888"}))
    assert checked_target("http://127.0.0.1:8888/search", rules).port == 8888
    with pytest.raises(ServiceError, match="private"):
        checked_target("http://127.0.0.1:8889/", rules)
