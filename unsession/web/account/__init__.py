"""Coming in and one's own account: landing, sign-in, sign-up, mailed links, the account page."""
