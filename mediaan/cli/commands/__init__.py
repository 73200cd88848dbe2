"""The commands of the `mediaan` program, one module each; imported when they run."""
