from . import context

__all__ = ["context"]
