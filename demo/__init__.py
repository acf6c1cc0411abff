"""`make demo`: draws a data set, trains a small model from it through penstock, and shows what happened."""

import os

# torch's threads spin while they wait for each other, on cores that the loader's workers (or other programs) need.
# It reads this setting when it is first imported.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
