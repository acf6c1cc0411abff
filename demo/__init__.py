"""`make demo`: draws a data set, trains a small model from it through penstock, and shows what happened."""
