"""The web page: the same answers as HTML, made on the server. Knows no compatibility rule and no fact."""
