"""A run as a film: what its pictures show, and a page that plays it. Plain Python, which runs in a browser too."""
