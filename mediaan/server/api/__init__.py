"""Operations: declared once, checked, answered, documented."""
