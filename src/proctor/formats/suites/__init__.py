"""Parser for suite files: text → nodes with positions → validated values → cases."""
