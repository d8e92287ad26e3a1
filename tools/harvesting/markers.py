"""Environment markers of Requires-Dist, and the platforms and Pythons for which they hold."""
import re

ENVIRONMENTS = {
    "linux-x86_64": {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64", "os_name": "posix"},
    "linux-aarch64": {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "aarch64", "os_name": "posix"},
    "windows-x86_64": {"sys_platform": "win32", "platform_system": "Windows", "platform_machine": "AMD64", "os_name": "nt"},
}
COMMON = {"implementation_name": "cpython", "platform_python_implementation": "CPython", "platform_release": "",
          "platform_version": "", "implementation_version": ""}
MINORS = range(7, 17)  # of Python 3
TOKEN = re.compile(r"""\s*(?:(\(|\))|("[^"]*"|'[^']*')|(not\s+in\b|in\b|and\b|or\b|[<>=!~]=?=?)|([A-Za-z_][\w.]*))""")
VERSIONS = {"python_version", "python_full_version", "implementation_version", "platform_release"}


def release(text):
    return [int(part) for part in re.findall(r"\d+", text.split("+")[0])]


def compare_versions(left, operator, right):
    prefix = right.endswith(".*")
    a, b = release(left), release(right)
    if prefix or operator == "~=":
        same = a[:len(b)] == b if prefix else a[:len(b) - 1] == b[:-1] and a >= b
        return not same if operator == "!=" else same
    length = max(len(a), len(b))
    a, b = a + [0] * (length - len(a)), b + [0] * (length - len(b))
    return {"==": a == b, "===": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[operator]


def allows(specifiers, minor):
    """Whether Requires-Python allows some 3.minor."""
    def meets(bound):
        operator, version = re.fullmatch(r"([<>=!~]+)(.*)", bound).groups()
        # A bound inside 3.minor, ">=3.8.1" or "!=3.9.7", leaves other releases of it.
        inside = release(version)[:2] == [3, minor] and len(release(version)) > 2 and not version.endswith(".*")
        return inside and any(release(version)[2:]) or compare_versions(f"3.{minor}", operator, version)
    return all(meets(bound) for bound in re.sub(r"\s", "", specifiers).split(",") if bound)


class Marker:
    """A parsed marker: holds(environment) -> whether it is true."""

    def __init__(self, text):
        self.tokens, at = [], 0
        text = text.strip()
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                raise ValueError(f"marker: {text}")
            self.tokens.append(found.group(0).strip())
            at = found.end()
        self.at = 0

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def sees(self, word):
        return self.at < len(self.tokens) and self.tokens[self.at] == word

    def holds(self, environment):
        self.at = 0
        return self.either(environment) if self.tokens else True

    def either(self, environment):
        result = self.both(environment)
        while self.sees("or"):
            self.next()
            result = self.both(environment) or result
        return result

    def both(self, environment):
        result = self.one(environment)
        while self.sees("and"):
            self.next()
            result = self.one(environment) and result
        return result

    def one(self, environment):
        if self.sees("("):
            self.next()
            result = self.either(environment)
            self.next()
            return result
        left, operator, right = self.next(), self.next(), self.next()

        def value(token):
            return token[1:-1] if token[0] in "\"'" else environment[token.replace("os.name", "os_name")]
        if operator.endswith("in"):
            return (value(left) in value(right)) != operator.startswith("not")
        if {left, right} & VERSIONS and release(value(left)) and release(value(right)):
            return compare_versions(value(left), operator, value(right)) if left in VERSIONS else \
                compare_versions(value(right), operator.translate(str.maketrans("<>", "><")), value(left))
        a, b = value(left), value(right)
        if "extra" in (left, right):
            a, b = (re.sub(r"[-_.]+", "-", text).lower() for text in (a, b))
        return (a == b) != (operator == "!=")


def where(marker, extra, platforms, minors):
    """{(platform, minor)} of those given for which it holds."""
    parsed = Marker(marker)
    return {(platform, minor) for platform in platforms for minor in minors
            if parsed.holds({**ENVIRONMENTS[platform], **COMMON, "extra": extra, "python_version": f"3.{minor}",
                             "python_full_version": f"3.{minor}.9"})}


def conditions(holds, platforms, minors):
    """The set as [(platforms, Python specifiers)]; [] and "" stand for all of those given."""
    by_minors = {}
    for platform in platforms:
        own = tuple(minor for minor in minors if (platform, minor) in holds)
        if own:
            by_minors.setdefault(own, []).append(platform)
    result = []
    for own, of in by_minors.items():
        start = 0
        for i, minor in enumerate(own):
            if i + 1 < len(own) and minors.index(own[i + 1]) == minors.index(minor) + 1:
                continue
            bounds = ([f"<3.{minor + 1}"] if minor != minors[-1] else []) + \
                ([f">=3.{own[start]}"] if own[start] != minors[0] else [])
            result.append(([] if len(of) == len(platforms) else of, ",".join(bounds)))
            start = i + 1
    return result
