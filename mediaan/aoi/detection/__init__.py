"""Find areas in one frame: text and its roles, buttons, branding, logos, products."""
