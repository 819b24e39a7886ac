"""Export and deletion of what is stored about a person. Each feature brings its share by hooks of `StoredFeature`."""
