"""Score predictions against eye tracking, beside what centre bias and other people reach."""
