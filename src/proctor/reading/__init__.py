"""Rule-based reading of replies: parse questions, extract statements, judge answers, detect conflicts."""
