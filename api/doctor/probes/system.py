"""The probes of the system that programs run on."""

from __future__ import annotations

import re

from api.doctor.facts import Facts
from api.doctor.outside import Outside
from api.doctor.probes.probe import Context, Probe

__all__ = ["SYSTEM"]


def _collect_system(outside: Outside, context: Context) -> str | None:
    if outside.platform == "win32":
        ran = outside.run(("cmd", "/c", "ver"), context.seconds)
        return f"windows {ran.out.strip()}\nmachine {outside.environment.get('PROCESSOR_ARCHITECTURE', '')}"
    release = outside.text("/etc/os-release") or ""
    uname = outside.run(("uname", "-srm"), context.seconds).out.strip()
    libc = outside.run(("getconf", "GNU_LIBC_VERSION"), context.seconds).out.strip()
    proc = (outside.text("/proc/version") or "").strip()
    return f"{release}\nuname {uname}\nlibc {libc}\nproc {proc}"


def _read_system(text: str, facts: Facts) -> None:
    named = dict(re.findall(r'^(ID|VERSION_ID)="?([^"\n]*)"?$', text, re.MULTILINE))
    uname = re.search(r"^uname (\S+) (\S+) (\S+)$", text, re.MULTILINE)
    if text.startswith("windows"):
        build = re.search(r"10\.0\.(\d{5})", text)
        facts.os = "windows" if build is None else "windows-11" if int(build[1]) >= 22000 else "windows-10"
        facts.machine = "aarch64" if "ARM64" in text else "x86_64"
        return
    facts.kernel, facts.machine = (uname[2], uname[3].replace("arm64", "aarch64")) if uname else (None, None)
    libc = re.search(r"^libc glibc (\d+\.\d+)", text, re.MULTILINE)
    facts.glibc = libc[1] if libc else None
    facts.wsl = "microsoft" in text.lower()
    facts.os = "linux"
    if named.get("ID"):
        facts.os = f"{named['ID']}-{named['VERSION_ID']}" if named.get("VERSION_ID") else named["ID"]


def _collect_container(outside: Outside, _: Context) -> str | None:
    for path, kind in (("/.dockerenv", "docker"), ("/run/.containerenv", "podman")):
        if outside.exists(path):
            return kind
    if outside.environment.get("KUBERNETES_SERVICE_HOST"):
        return "kubernetes"
    if outside.environment.get("APPTAINER_CONTAINER") or outside.environment.get("SINGULARITY_CONTAINER"):
        return "apptainer"
    found = re.search(r"docker|kubepods|containerd|libpod|lxc", outside.text("/proc/1/cgroup") or "")
    return found[0] if found else None


def _read_container(text: str, facts: Facts) -> None:
    facts.container = text.strip() or None


_SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


def _collect_secure_boot(outside: Outside, _: Context) -> str | None:
    raw = outside.text(_SECURE_BOOT)
    return None if raw is None else f"secure boot {'on' if raw.endswith(chr(1)) else 'off'}"


def _read_secure_boot(text: str, facts: Facts) -> None:
    facts.secure_boot = text.strip().endswith("on")


SYSTEM = (
    Probe("system", "`/etc/os-release`, `uname`, the C library, `/proc/version` (WSL)", _collect_system, _read_system),
    Probe("container", "signs of Docker, Podman, Kubernetes, Apptainer", _collect_container, _read_container),
    Probe("secure-boot", "the firmware's SecureBoot variable", _collect_secure_boot, _read_secure_boot),
)
