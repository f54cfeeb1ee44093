"""An address that may be somebody's is found; inner ones, blocks, resolvers and masks are not."""

from collections.abc import Callable

import pytest

# A text with an address that is nobody's, and the same text with one that may be somebody's.
ROWS = [
    ("the subnet is 192.168.10.0/24", "the host is 203.0.113.77/24", "203.0.113.77/24"),
    ("gateway 192.168.10.1", "gateway 203.0.113.1", "203.0.113.1"),
    ("10.0.0.0/8 is private", "100.64.3.8 is not", "100.64.3.8"),
    ("pods get 10.244.3.17", "pods get 198.51.100.17", "198.51.100.17"),
    ("docker0 has 172.17.0.1", "docker0 has 172.32.0.1", "172.32.0.1"),
    ("the block 203.0.113.0/24 is ours", "the host 203.0.113.9/32 is hers", "203.0.113.9/32"),
    ("route 0.0.0.0/0 by 192.168.1.1", "route by 192.0.2.7", "192.0.2.7"),
    ("ping 8.8.8.8 works", "ping 8.8.8.9 works", "8.8.8.9"),
    ("nameserver 1.1.1.1", "nameserver 1.1.1.7", "1.1.1.7"),
    ("curl 169.254.169.254/latest", "curl 169.253.169.254/latest", "169.253.169.254"),
    ("netmask 255.255.240.0", "netmask 254.255.240.0", "254.255.240.0"),
    ("joins 224.0.0.251", "joins 223.0.0.251", "223.0.0.251"),
    ("dns 2001:4860:4860::8888", "dns 2001:4860:4860::1:8888", "2001:4860:4860::1:8888"),
    ("prefix 2001:db8::/32", "host 2001:db8::7/64", "2001:db8::7/64"),
    ("inner fd12:3456:789a::1", "outer 2001:db8:789a::1", "2001:db8:789a::1"),
]


@pytest.mark.parametrize(("nobodys", "text", "address"), ROWS, ids=[row[0] for row in ROWS])
def test_only_what_may_be_somebodys_address_is_found(
    values_of: Callable[[str, str], list[str]], nobodys: str, text: str, address: str
) -> None:
    """What a network or everybody uses stays; the twin's address is found whole."""
    assert values_of("IP_ADDRESS", nobodys) == []
    assert values_of("IP_ADDRESS", text) == [address]
