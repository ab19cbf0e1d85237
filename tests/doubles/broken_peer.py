"""A memory for the harness of ``make peers`` that fails as soon as it is started."""

if __name__ == "__main__":
    raise SystemExit(3)
