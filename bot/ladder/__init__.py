"""The stairs: one ladder per server and variant, a fold of its events. Pure; times are unix seconds."""
