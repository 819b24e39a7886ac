"""What commands and buttons share: options, answers, errors, forms and buttons that outlive restarts."""
