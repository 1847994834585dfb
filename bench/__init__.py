"""The budgets, measured on loopback, side by side with a bare framework hello in the same run."""
