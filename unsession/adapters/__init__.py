"""The world outside, behind small protocols: mail transports, and work that takes a thread."""
