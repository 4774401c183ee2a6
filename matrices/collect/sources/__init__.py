"""One module per publication: `parse` reads a page, `collect` gets the pages and says what they say."""
