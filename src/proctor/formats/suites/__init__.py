"""Suite files piece by piece: text → nodes with their places → values by one declaration → cases."""
