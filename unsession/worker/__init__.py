"""What happens later: rows become effects, each claimed, committed, done and marked."""
