"""From the intermediate representation to Python source: plan, render, verify, format."""
