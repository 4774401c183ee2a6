"""What is asked, read: GPUs and machines (`reader`), versions, requirements."""
