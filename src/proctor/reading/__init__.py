"""Reading natural replies: what a question asks, what a reply states, whether it answers, whether two conflict."""
