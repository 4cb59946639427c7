"""The space of sentences and their tags: a row is a sentence, a target a sequence of tags (Collins 2002)."""
