"""The private halves of `/settings`: a person's own, and a server's."""
