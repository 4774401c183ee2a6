"""What exists and who says so: typed, sourced claims. Knows no compatibility rule."""
