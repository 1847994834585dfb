"""What the demo is made of: fiction only, no code that writes anything."""
