"""What all suites share: how Hypothesis runs."""

import os

from hypothesis import settings

# No deadline: a slow machine is no fault of the code.  In CI the examples are the same in each run, so that a red run is
# repeated by running it again; at home every run looks further.
settings.register_profile("home", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "home")
