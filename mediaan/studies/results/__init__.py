"""Ask which measures go with the results of ads."""
