"""The package's version, that of the library it was made with."""
__version__ = "0.1.0"
